#include "core/engine/roster.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace phalanx {
namespace {

// Of members without an index.
constexpr int32_t kLast = std::numeric_limits<int32_t>::max();

bool IsLive(Standing standing) {
  switch (standing) {
    case Standing::kDeleting:
    case Standing::kLost:
    case Standing::kSucceeded:
    case Standing::kFailed:
      return false;
    default:
      return true;
  }
}

Standing PipelineStanding(const Member& member) {
  switch (member.stage) {
    case Stage::kPlanned:
      return Standing::kPlanned;
    case Stage::kReserved:
      return Standing::kReserved;
    case Stage::kPrepared:
      return Standing::kPrepared;
    default:
      return member.object.gates.empty() ? Standing::kReady : Standing::kGated;
  }
}

}  // namespace

MemberKey KeyOf(const PodObject& pod) {
  MemberKey key{kLast, kLast, pod.name.size(), pod.name, pod.uid};
  if (pod.membership && pod.membership->index) {
    key.group = pod.membership->index_group;
    key.index = *pod.membership->index;
  }
  return key;
}

std::optional<int32_t> FixedRank(const PodObject& pod) {
  if (!pod.membership || pod.membership->index_group > 0) return std::nullopt;
  return pod.membership->index;
}

Standing StandingOf(const Member& member) {
  const PodObject& pod = member.object;
  if (pod.phase == PodPhase::kSucceeded) return Standing::kSucceeded;
  if (pod.phase == PodPhase::kFailed) return Standing::kFailed;
  if (!pod.node.empty()) {
    if (pod.deleting) return Standing::kDeleting;
    return member.node_gone ? Standing::kLost : Standing::kBound;
  }
  if (member.stage == Stage::kReturning) return Standing::kReturning;
  if (pod.deleting) return Standing::kDeleting;
  return PipelineStanding(member);
}

Terms TermsOf(const Member& member) {
  const Membership& says = *member.object.membership;
  return {says.size,
          says.min,
          member.object.priority,
          says.required_level,
          says.preferred_level,
          says.terms_object,
          says.sized_by_object,
          says.exclusive_level,
          says.group,
          says.queue};
}

bool TakesRoom(const Member& member) {
  const Standing standing = StandingOf(member);
  if (standing == Standing::kSucceeded || standing == Standing::kFailed) return false;
  if (!member.object.node.empty()) return true;
  return member.stage != Stage::kIdle && member.node.valid();
}

Roster::Indexed Roster::IndexOf(const Member& member) {
  Indexed out;
  out.standing = StandingOf(member);
  // A deleted member that still leaves the pipeline is waited for, but speaks for nobody.
  out.live = IsLive(out.standing) && !member.object.deleting;
  out.created = member.object.created;
  if (TakesRoom(member)) out.taking = member.shape;
  if (out.standing == Standing::kBound || out.standing == Standing::kSucceeded) {
    const std::optional<BoundPlan>& bound = member.object.bound_plan;
    out.started_under = std::max(member.started_under, bound ? bound->gang_size : 0);
  }
  if (!out.live) return out;
  out.terms = TermsOf(member);
  out.together = member.object.membership->together;
  if (member.object.node.empty()) {
    out.problem = !member.object.membership->problems.empty();
    out.late = member.object.unresolved_objects;
  }
  return out;
}

Member& Roster::Add(PodId pod, PodObject object, ShapeId shape) {
  const MemberKey key = KeyOf(object);
  Member& member = members_[key];
  member.key = key;
  member.pod = pod;
  member.object = std::move(object);
  member.shape = shape;
  Indexed entry = IndexOf(member);
  member.standing = entry.standing;
  Insert(member, entry);
  indexed_.emplace(&member, std::move(entry));
  return member;
}

void Roster::Remove(Member& member) {
  auto it = indexed_.find(&member);
  Erase(member, it->second);
  indexed_.erase(it);
  members_.erase(member.key);
}

void Roster::Replace(Member& member, PodObject object, ShapeId shape) {
  const MemberKey key = KeyOf(object);
  if (key != member.key) {
    auto it = indexed_.find(&member);
    Erase(member, it->second);
    auto node = members_.extract(member.key);
    node.key() = key;
    member.key = key;
    members_.insert(std::move(node));
    Insert(member, it->second);
  }
  member.object = std::move(object);
  member.shape = shape;
  Refresh(member);
}

void Roster::Refresh(Member& member) {
  Indexed& old = indexed_.find(&member)->second;
  Indexed now = IndexOf(member);
  member.standing = now.standing;
  if (old.live == now.live && old.problem == now.problem && old.terms == now.terms &&
      old.together == now.together && old.created == now.created && old.late == now.late &&
      old.started_under == now.started_under) {
    if (old.taking != now.taking) {
      CountTaking(old.taking, -1);
      CountTaking(now.taking, 1);
      old.taking = now.taking;
    }
    --counts_[static_cast<size_t>(old.standing)];
    ++counts_[static_cast<size_t>(now.standing)];
    if (old.standing == Standing::kGated) gated_.erase(&member);
    if (now.standing == Standing::kGated) gated_.insert(&member);
    old.standing = now.standing;
    return;
  }
  Erase(member, old);
  Insert(member, now);
  old = std::move(now);
}

void Roster::Insert(const Member& member, const Indexed& entry) {
  ++counts_[static_cast<size_t>(entry.standing)];
  if (entry.standing == Standing::kGated) gated_.insert(&member);
  if (entry.problem) problems_.insert(&member);
  CountTaking(entry.taking, 1);
  CountLate(entry.late, 1);
  if (entry.started_under > 0) started_.insert(entry.started_under);
  if (!entry.live) return;
  ++live_;
  terms_[entry.terms].insert(&member);
  ++together_[entry.together];
  created_.insert(entry.created);
}

void Roster::Erase(const Member& member, const Indexed& entry) {
  --counts_[static_cast<size_t>(entry.standing)];
  gated_.erase(&member);
  problems_.erase(&member);
  CountTaking(entry.taking, -1);
  CountLate(entry.late, -1);
  if (entry.started_under > 0) started_.erase(started_.find(entry.started_under));
  if (!entry.live) return;
  --live_;
  auto terms = terms_.find(entry.terms);
  terms->second.erase(&member);
  if (terms->second.empty()) terms_.erase(terms);
  auto together = together_.find(entry.together);
  if (--together->second == 0) together_.erase(together);
  created_.erase(created_.find(entry.created));
}

void Roster::CountTaking(ShapeId shape, int32_t by) {
  if (!shape.valid()) return;
  const auto entry = taking_.try_emplace(shape, 0).first;
  entry->second += by;
  if (entry->second == 0) taking_.erase(entry);
}

void Roster::CountLate(const std::vector<std::string>& objects, int32_t by) {
  for (const std::string& name : objects) {
    auto it = late_.try_emplace(name, 0).first;
    it->second += by;
    if (it->second > 1) {
      shared_late_.insert(name);
    } else {
      shared_late_.erase(name);
    }
    if (it->second == 0) late_.erase(it);
  }
}

int32_t Roster::InPipeline() const {
  return Count(Standing::kPlanned) + Count(Standing::kReserved) + Count(Standing::kPrepared);
}

int32_t Roster::Counted() const {
  return Live() - Count(Standing::kGated) + Count(Standing::kSucceeded);
}

const Together* Roster::AllTogether() const {
  if (together_.size() != 1 || together_.begin()->first.level.empty()) return nullptr;
  return &together_.begin()->first;
}

const std::string* Roster::SharedLateObject() const {
  return shared_late_.empty() ? nullptr : &*shared_late_.begin();
}

std::optional<Time> Roster::Oldest() const {
  if (created_.empty()) return std::nullopt;
  return *created_.begin();
}

}  // namespace phalanx

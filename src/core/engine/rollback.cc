#include "core/engine/rollback.h"

#include <utility>

#include "core/engine/lifecycle.h"
#include "core/engine/show.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

// Bound, and to leave.
bool MustLeave(const Member& member) {
  return member.standing == Standing::kBound || member.standing == Standing::kLost;
}

// Pods of the Job that it would count as failed: those that must leave, and those that do.
int64_t PodsOf(const Gang& gang, const std::string& job) {
  int64_t pods = 0;
  for (const auto& [key, member] : gang.roster.members()) {
    const bool leaves = MustLeave(member) || member.standing == Standing::kDeleting;
    if (leaves && member.object.owner.uid == job) ++pods;
  }
  return pods;
}

// Asks the Jobs that were not asked yet; true when all have answered.
bool JobsKnown(State& state, Gang& gang) {
  bool known = true;
  for (const auto& [key, member] : gang.roster.members()) {
    const OwnerRef& owner = member.object.owner;
    if (!MustLeave(member) || WayOutOf(owner).way != WayOut::Way::kAskJob) continue;
    auto [it, added] = gang.jobs.try_emplace(owner.uid);
    if (added) {
      const uint64_t sequence =
          state.outbox.Send(ReadJob{gang.key, member.object.ns, owner.name, owner.uid});
      state.job_reads[sequence] = {gang.key, owner.uid};
    }
    known = known && it->second.has_value();
  }
  return known;
}

void EvictMember(State& state, Gang& gang, Member& member) {
  member.evicting = true;
  const uint64_t sequence = state.outbox.Send(Evict{gang.key, member.object.uid, member.object.ns,
                                                    member.object.name, Explain(gang.failure)});
  state.evictions[sequence] = member.object.uid;
}

void EvictionEnded(State& state, const std::string& uid, const DirectiveResult& result) {
  const PodId id = state.pods.Find(uid);
  if (result.applied || !id.valid()) return;
  Pod& pod = state.pods.Get(id);
  if (pod.member == nullptr) return;
  Gang& gang = state.gangs.Get(pod.gang);
  pod.member->evicting = false;
  gang.evict_at = state.now + state.config.resend_after;
  state.Touch(pod.gang);
}

void JobAnswered(State& state, const GangKey& key, const std::string& uid,
                 const DirectiveResult& result) {
  const GangId id = state.gangs.Find(key);
  if (!id.valid()) return;
  Gang& gang = state.gangs.Get(id);
  auto it = gang.jobs.find(uid);
  if (it == gang.jobs.end()) return;
  state.Touch(id);
  if (!result.applied && result.code != kNotFound) {  // once more, later
    gang.jobs.erase(it);
    gang.evict_at = state.now + state.config.resend_after;
    return;
  }
  // One that was made again under the name is not the owner.
  const bool same = result.job && result.job->uid == uid;
  it->second = JudgeJob(same ? result.job : std::nullopt, PodsOf(gang, uid));
}

}  // namespace

void BindRefused(State& state, Gang& gang, Member& member, const Reason& why) {
  gang.failure = why;
  gang.failure.member = state.NameOf(member);
  if (gang.plan->stage != PlanStage::kBind) {
    WithdrawPlan(state, gang, Explain(gang.failure), Setback::kSerious);
    return;
  }
  const bool joining = gang.plan->joining;
  --gang.plan->size;
  ++gang.plan->lost;
  SetStage(state, gang, member, Stage::kReturning);
  if (joining) {
    BackOff(state, gang, Setback::kSerious);
    return;
  }
  StartRollBack(state, gang);
}

void StartRollBack(State& state, Gang& gang) {
  gang.rolling_back = true;
  gang.jobs.clear();
  gang.evict_at = state.now;
  gang.repair_by = Time::Never();
  if (gang.plan) WithdrawPlan(state, gang, Explain(gang.failure), Setback::kNone);
}

void AdvanceRollBack(State& state, Gang& gang) {
  if (!gang.rolling_back || !state.synced) return;
  const Roster& roster = gang.roster;
  if (roster.InPipeline() + roster.Count(Standing::kReturning) > 0) return;
  if (roster.Count(Standing::kBound) + roster.Count(Standing::kLost) == 0) {
    gang.rolling_back = false;
    gang.jobs.clear();
    BackOff(state, gang, Setback::kSerious);
    return;
  }
  if (!state.leading || gang.evict_at > state.now || !JobsKnown(state, gang)) return;
  for (auto& [key, member] : gang.roster.members()) {
    if (!MustLeave(member) || member.evicting) continue;
    if (WayOutOf(gang, member).way != WayOut::Way::kEvict) continue;
    EvictMember(state, gang, member);
  }
}

void ApplyDirectiveResult(State& state, const DirectiveResult& result) {
  if (NoteWritten(state, result) || NoteTopologyWritten(state, result)) return;
  if (auto eviction = state.evictions.extract(result.sequence)) {
    EvictionEnded(state, eviction.mapped(), result);
  } else if (auto read = state.job_reads.extract(result.sequence)) {
    JobAnswered(state, read.mapped().first, read.mapped().second, result);
  }
}

WayOut WayOutOf(const Gang& gang, const Member& member) {
  WayOut way = WayOutOf(member.object.owner);
  if (way.way != WayOut::Way::kAskJob) return way;
  auto it = gang.jobs.find(member.object.owner.uid);
  return it == gang.jobs.end() || !it->second ? way : *it->second;
}

}  // namespace phalanx

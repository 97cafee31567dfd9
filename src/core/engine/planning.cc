#include "core/engine/planning.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/group.h"
#include "core/engine/lifecycle.h"
#include "core/engine/mix.h"
#include "core/engine/neighbours.h"
#include "core/engine/queues.h"
#include "core/engine/reasons.h"
#include "core/engine/settle.h"
#include "core/engine/shared_pools.h"
#include "core/engine/terms.h"
#include "core/explain/reason_text.h"
#include "core/place/placement.h"
#include "core/plan/assign.h"

namespace phalanx {
namespace {

// Members that join one running gang at a time: bounds the work of one look.
constexpr size_t kMaxJoiners = 64;

using Members = std::vector<Member*>;

struct Chosen {
  Members members;  // in rank order
  std::vector<HostId> hosts;
  std::string domain;
  bool joining = false;
};

// Waiting members that may have a place, in rank order.
Members Candidates(Gang& gang) {
  Members out;
  const auto open = static_cast<size_t>(std::max(OpenPlaces(gang), 0));
  for (auto& [key, member] : gang.roster.members()) {
    if (out.size() == open) break;
    if (member.standing == Standing::kReady) out.push_back(&member);
  }
  return out;
}

// Roles in the order of their first member, so that ids of shapes decide nothing.
PlacementRequest RequestFor(const State& state, const Gang& gang, const Members& members) {
  PlacementRequest request;
  std::map<ShapeId, size_t> role_of;
  for (const Member* member : members) {
    auto [it, added] = role_of.try_emplace(member->shape, request.roles.size());
    if (added) {
      request.roles.push_back({member->shape, 0});
      state.exclusions.Collect(member->shape, &request.exclusions);
    }
    ++request.roles[it->second].count;
  }
  request.required_level = RequiredLevel(state, gang);
  request.preferred_level = gang.terms.preferred_level;
  CloseHosts(state, gang, request);
  AddPlaced(state, gang, request);
  return request;
}

// A refusal of some shape is about its first member, unless all members are alike.
void NameMember(const PlacementRequest& request, const Members& members, const State& state,
                ShapeId about, Reason* reason) {
  if (request.roles.size() < 2 || !about.valid()) return;
  for (const Member* member : members) {
    if (member->shape != about) continue;
    reason->member = state.NameOf(*member);
    return;
  }
}

// Asks the search, or the refusals that still hold. A search is counted, a remembered refusal not.
std::variant<Placement, Reason> Search(State& state, PlacementRequest request,
                                       const Members& members, int64_t* spent) {
  const RequestClass request_class = ClassOf(request);
  ++*spent;
  if (const Reason* known = state.refusals.Find(request_class)) {
    Reason reason = *known;
    NameMember(request, members, state, state.refusals.About(request_class), &reason);
    return reason;
  }
  if (state.fragmentation.Active()) request.fragmentation = &state.fragmentation;
  PlacementAnswer answer = Place(state.cluster, request);
  *spent += answer.work_units;
  const Reason* refusal = answer.refusal();
  state.counters.CountPlan(refusal ? ReasonName(refusal->code) : "fits", answer.work_units);
  if (!refusal) return std::move(answer.result);
  Reason reason = *refusal;
  NoteHolders(state, reason);
  state.refusals.Remember(request_class, reason, answer.refused);
  NameMember(request, members, state, answer.refused, &reason);
  return reason;
}

void Refuse(State& state, Gang& gang, GangId id, const Reason& reason) {
  if (reason == gang.verdict) return;
  gang.verdict = reason;
  state.Touch(id);
}

void Hold(State& state, Member& member, NodeId node) {
  member.node = node;
  const Pod& pod = state.pods.Get(member.pod);
  state.cluster.ledger().Book(member.pod, node, BookingKind::kHeld, pod.request, state.TalkOf(pod));
}

std::vector<int32_t> RanksFor(const Gang& gang, const Members& members) {
  std::set<int32_t> taken;
  for (const auto& [key, member] : gang.roster.members()) {
    const bool placed =
        member.standing == Standing::kBound || member.standing == Standing::kSucceeded;
    if (placed && member.rank >= 0) taken.insert(member.rank);
  }
  std::vector<std::optional<int32_t>> indexes;
  indexes.reserve(members.size());
  for (const Member* member : members) indexes.push_back(FixedRank(member->object));
  return AssignRanks(indexes, std::move(taken), gang.terms.size);
}

Admit AdmitOf(const State& state, const Gang& gang, const Members& members) {
  Admit admit{.gang = gang.key, .plan = gang.plan->id, .gang_size = gang.plan->gang_size};
  admit.domain = gang.domain;
  admit.dry_run = gang.dry_run;
  for (const Member* member : members) {
    const NodeObject& node = state.cluster.node(member->node).object;
    admit.members.push_back({member->object.uid, member->object.ns, member->object.name, node.name,
                             node.uid, member->rank});
  }
  std::sort(admit.members.begin(), admit.members.end(),
            [](const AdmitMember& a, const AdmitMember& b) { return a.rank < b.rank; });
  return admit;
}

// The whole gang is held in the ledger before anything is sent.
void Commit(State& state, Gang& gang, GangId id, const Chosen& chosen) {
  for (size_t i = 0; i < chosen.members.size(); ++i) {
    Hold(state, *chosen.members[i], state.cluster.topology().host(chosen.hosts[i]).node);
  }
  const std::vector<int32_t> ranks = RanksFor(gang, chosen.members);
  Plan plan;
  plan.id = (state.epoch << kPlanBits) + ++state.plans_made;
  plan.joining = chosen.joining;
  plan.size = static_cast<int32_t>(chosen.members.size());
  plan.admitted = plan.size;
  plan.gang_size = gang.terms.sized_by_object ? gang.terms.min : gang.terms.size;
  plan.deadline = state.now + ReserveDeadline(state, gang);
  gang.plan = plan;
  gang.verdict = {};
  UpdateCharge(state, gang);
  if (!chosen.joining) gang.domain = chosen.domain;
  for (size_t i = 0; i < chosen.members.size(); ++i) {
    Member& member = *chosen.members[i];
    member.plan = plan.id;
    member.rank = ranks[i];
    SetStage(state, gang, member, Stage::kPlanned);
    state.admitted.push_back(member.pod);
  }
  state.starting.insert(id);
  NoteExclusive(state, id);
  state.reserving += plan.admitted;
  state.NoteGrowth();
  state.outbox.Send(AdmitOf(state, gang, chosen.members));
}

std::vector<ShapeId> ShapesOf(const Members& members) {
  std::vector<ShapeId> shapes;
  shapes.reserve(members.size());
  for (const Member* member : members) shapes.push_back(member->shape);
  return shapes;
}

// The fewest members that may start, in whole segments.
size_t FewestToStart(const Gang& gang, const Members& members) {
  const int32_t least = std::max(gang.terms.min - gang.roster.Count(Standing::kSucceeded), 1);
  const int32_t segment = members.empty() ? 1 : members.front()->object.membership->segment.size;
  return static_cast<size_t>((least + segment - 1) / segment * segment);
}

// What Search() knows already of members that are alike and start together or not at all; nullptr
// if it must be asked. Most looks of a pass over a long queue end here, so nothing is copied.
const Reason* StillRefused(const State& state, const Gang& gang, const Members& members) {
  const bool alike = std::all_of(members.begin(), members.end(), [&](const Member* member) {
    return member->shape == members.front()->shape;
  });
  if (members.empty() || !alike || FewestToStart(gang, members) < members.size()) return nullptr;
  const auto count = static_cast<int32_t>(members.size());
  RequestClass same{{{members.front()->shape, count}},
                    RequiredLevel(state, gang),
                    {},
                    false,
                    gang.terms.exclusive_level,
                    {},
                    {}};
  return state.refusals.Find(same);
}

// Of the fewest that may start.
Reason StartLimit(const State& state, Gang& gang) {
  if (!state.queues.limited()) return {};
  Members members = Candidates(gang);
  members.resize(std::min(members.size(), FewestToStart(gang, members)));
  return LimitReason(state, gang, members);
}

// All members, or the fewest that may start, on these hosts (none: on any); kNone: committed.
// REQUIRES: StartLimit() is kNone.
Reason StartWithin(State& state, Gang& gang, GangId id, const std::vector<HostRange>& within,
                   int64_t* spent) {
  Members members = Candidates(gang);
  const size_t least = FewestToStart(gang, members);
  if (LimitReason(state, gang, members).code != ReasonCode::kNone) members.resize(least);
  PlacementRequest request = RequestFor(state, gang, members);
  request.within = within;
  auto answer = Search(state, request, members, spent);
  if (std::holds_alternative<Reason>(answer) && least < members.size()) {
    members.resize(least);
    request = RequestFor(state, gang, members);
    request.within = within;
    answer = Search(state, request, members, spent);
  }
  if (auto* reason = std::get_if<Reason>(&answer)) return *reason;
  const Placement& placement = std::get<Placement>(answer);
  Chosen chosen{members, AssignHosts(ShapesOf(members), placement)};
  chosen.domain = state.cluster.topology().Path(placement.common);
  Commit(state, gang, id, chosen);
  return {};
}

// Where the gangs of a group go together, and a try elsewhere if that is only preferred.
Reason StartInGroup(State& state, Gang& gang, GangId id, int64_t* spent) {
  const GroupPlace place = PlaceForGroup(state, gang, LastRequest);
  *spent += place.work_units;
  Reason reason = place.refusal;
  if (reason.code == ReasonCode::kNone) reason = StartWithin(state, gang, id, place.within, spent);
  const bool missing = reason.code == ReasonCode::kGroupMissing;
  const bool required = !gang.terms.group.required_level.empty();
  if (reason.code == ReasonCode::kNone || missing || required) return reason;
  return StartWithin(state, gang, id, {}, spent);
}

void PlanGang(State& state, Gang& gang, GangId id, int64_t* spent);

// Who waits with it has been counted in, and is started before others take the room.
void StartPeers(State& state, const Gang& gang, int64_t* spent) {
  for (const GangId id : PeersOf(state, gang)) {
    Gang& peer = state.gangs.Get(id);
    if (IsPlannable(state, peer)) PlanGang(state, peer, id, spent);
  }
}

void PlanStart(State& state, Gang& gang, GangId id, int64_t* spent) {
  const bool grouped = !gang.terms.group.name.empty();
  Reason reason = StartLimit(state, gang);
  if (reason.code != ReasonCode::kNone) {
    ++*spent;
  } else if (grouped) {
    reason = StartInGroup(state, gang, id, spent);
  } else if (const Reason* refused = StillRefused(state, gang, Candidates(gang))) {
    ++*spent;
    reason = *refused;
  } else {
    reason = StartWithin(state, gang, id, {}, spent);
  }
  if (reason.code != ReasonCode::kNone) {
    Refuse(state, gang, id, reason);
  } else if (grouped) {
    StartPeers(state, gang, spent);
  }
}

// The required domain, told by the first bound member whose host is known.
std::vector<HostRange> RequiredHosts(const State& state, const Gang& gang) {
  const std::string& name = RequiredLevel(state, gang);
  if (name.empty()) return {};
  const Topology& topology = state.cluster.topology();
  const LevelId level = topology.FindLevel(name);
  if (!level.valid()) return {};
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.standing != Standing::kBound) continue;
    const HostId host = topology.HostOf(member.node);
    if (!host.valid()) continue;
    std::vector<HostRange> hosts = DomainAround(topology, host, level);
    if (!hosts.empty()) return hosts;
  }
  return {};
}

// Where members that join have to be: in the required domain of their gang, and in that of its
// group.
std::vector<HostRange> JoinHosts(const State& state, const Gang& gang) {
  std::vector<HostRange> own = RequiredHosts(state, gang);
  std::vector<HostRange> shared = GroupHosts(state, gang);
  if (own.empty()) return shared;
  return shared.empty() ? own : Intersect(own, shared);
}

PlacementRequest RepairRequest(const State& state, const Gang& gang, Members& members) {
  const auto missing = static_cast<size_t>(gang.terms.min - gang.roster.Placed());
  members.resize(std::min(members.size(), missing));
  PlacementRequest request = RequestFor(state, gang, members);
  request.within = JoinHosts(state, gang);
  request.joining = true;
  return request;
}

// A gang below its minimum is made whole in one step or not at all: members that do not suffice
// would hold room, and be bound, for nothing.
void PlanRepair(State& state, Gang& gang, GangId id, int64_t* spent) {
  Members members = Candidates(gang);
  const PlacementRequest request = RepairRequest(state, gang, members);
  auto answer = Search(state, request, members, spent);
  if (auto* reason = std::get_if<Reason>(&answer)) {
    Refuse(state, gang, id, *reason);
    return;
  }
  Chosen chosen{members, AssignHosts(ShapesOf(members), std::get<Placement>(answer))};
  chosen.joining = true;
  Commit(state, gang, id, chosen);
}

void PlanJoin(State& state, Gang& gang, GangId id, int64_t* spent) {
  if (gang.queue_reason.code != ReasonCode::kNone) {
    ++*spent;
    Refuse(state, gang, id, gang.queue_reason);
    return;
  }
  Chosen chosen{.joining = true};
  std::set<ShapeId> refused;
  const std::vector<HostRange> within = JoinHosts(state, gang);
  for (Member* member : Candidates(gang)) {
    if (chosen.members.size() == kMaxJoiners) break;
    if (refused.count(member->shape) > 0) continue;
    Members all = chosen.members;
    all.push_back(member);
    if (const Reason over = LimitReason(state, gang, all); over.code != ReasonCode::kNone) {
      if (chosen.members.empty()) Refuse(state, gang, id, over);
      break;
    }
    PlacementRequest request = RequestFor(state, gang, {member});
    request.within = within;
    request.joining = true;
    auto answer = Search(state, request, {member}, spent);
    if (auto* reason = std::get_if<Reason>(&answer)) {
      if (refused.empty()) Refuse(state, gang, id, *reason);
      refused.insert(member->shape);
      continue;
    }
    chosen.members.push_back(member);
    chosen.hosts.push_back(std::get<Placement>(answer).slots.front().host);
    // The next one must see that this room is taken.
    Hold(state, *member, state.cluster.topology().host(chosen.hosts.back()).node);
  }
  if (!chosen.members.empty()) Commit(state, gang, id, chosen);
}

void PlanGang(State& state, Gang& gang, GangId id, int64_t* spent) {
  const Roster& roster = gang.roster;
  if (roster.Count(Standing::kBound) == 0) return PlanStart(state, gang, id, spent);
  if (roster.Placed() < gang.terms.min) return PlanRepair(state, gang, id, spent);
  PlanJoin(state, gang, id, spent);
}

}  // namespace

bool HasPlanningWork(const State& state) {
  return state.synced && state.leading && state.reserving < state.config.max_reserving &&
         state.pass.HasWork(state.queue);
}

PlacementRequest LastRequest(const State& state, Gang& gang) {
  Members members = Candidates(gang);
  if (gang.roster.Count(Standing::kBound) == 0) {
    members.resize(std::min(members.size(), FewestToStart(gang, members)));
    return RequestFor(state, gang, members);
  }
  if (gang.roster.Placed() < gang.terms.min) return RepairRequest(state, gang, members);
  members.resize(std::min<size_t>(members.size(), 1));
  PlacementRequest request = RequestFor(state, gang, members);
  request.within = JoinHosts(state, gang);
  request.joining = true;
  return request;
}

void RunPlanSlice(State& state, int64_t work_units) {
  if (!HasPlanningWork(state)) return;
  state.cluster.RefreshTopology();
  RefreshMix(state);
  int64_t spent = 0;
  // What is admitted leaves the queue when it is settled, after the slice.
  Pass::Place place = state.pass.PlaceIn(state.queue);
  do {
    const GangId id = state.pass.Next(state.queue, place);
    if (!id.valid()) break;
    Gang& gang = state.gangs.Get(id);
    if (gang.plan) continue;  // admitted in this slice, not settled yet
    PlanGang(state, gang, id, &spent);
  } while (spent < work_units && state.reserving < state.config.max_reserving);
  state.outbox.Spend(spent);
}

}  // namespace phalanx

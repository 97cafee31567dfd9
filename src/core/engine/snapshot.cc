#include "core/engine/snapshot.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/engine/inputs.h"
#include "core/engine/lifecycle.h"
#include "core/engine/part_bound.h"
#include "core/engine/terms.h"
#include "core/engine/topology_status.h"
#include "core/plan/assign.h"

namespace phalanx {
namespace {

void ForgetPlan(State& state, GangId id) {
  Gang& gang = state.gangs.Get(id);
  gang.plan.reset();
  gang.resend_at = Time::Never();
  gang.jobs.clear();
  for (auto& [key, member] : gang.roster.members()) {
    member.evicting = false;
    if (member.stage == Stage::kIdle) continue;
    state.cluster.ledger().Release(member.pod);
    member.plan = 0;
    member.node = NodeId::None();
    member.rank = -1;
    SetStage(state, gang, member, Stage::kIdle);
  }
  gang.changed = true;
  state.Touch(id);
}

void TouchAll(State& state) {
  for (const auto& [key, id] : state.gangs.by_key()) state.Touch(id);
}

void RemoveUnseen(State& state) {
  const std::set<std::string> gone = state.unseen_nodes;
  for (const std::string& name : gone) RemoveNode(state, name);
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (!pod.uid.empty() && pod.seen_epoch != state.epoch) RemovePod(state, PodId(i));
  }
}

// A member that is in the adapter's pipeline under a plan, on a node.
struct InFlight {
  Member* member;
  const MemberFact* fact;
};

void Hold(State& state, Gang& gang, const InFlight& item, Stage stage) {
  Member& member = *item.member;
  member.plan = item.fact->plan;
  member.node = state.cluster.NodeForName(item.fact->node);
  const Pod& pod = state.pods.Get(member.pod);
  state.cluster.ledger().Book(member.pod, member.node, BookingKind::kHeld, pod.request,
                              state.TalkOf(pod));
  SetStage(state, gang, member, stage);
  if (stage == Stage::kReturning) gang.resend_at = state.now;
}

void RankInFlight(const State& state, Gang& gang, const std::vector<InFlight>& items) {
  std::set<int32_t> taken;
  for (const auto& [key, member] : gang.roster.members()) {
    if (!member.object.node.empty() && member.rank >= 0) taken.insert(member.rank);
  }
  std::vector<std::optional<int32_t>> indexes;
  indexes.reserve(items.size());
  for (const InFlight& item : items) indexes.push_back(FixedRank(item.member->object));
  const int32_t size = TermsNow(state, gang).size;
  const std::vector<int32_t> ranks = AssignRanks(indexes, std::move(taken), size);
  for (size_t i = 0; i < items.size(); ++i) items[i].member->rank = ranks[i];
}

// The plan that was mid-bind; members of any other plan leave.
void RecallPlan(State& state, GangId id, const std::vector<InFlight>& in_flight) {
  Gang& gang = state.gangs.Get(id);
  uint64_t newest = 0;
  for (const InFlight& item : in_flight) {
    if (item.fact->state == MemberState::kBinding) newest = std::max(newest, item.fact->plan);
  }
  std::vector<InFlight> binding;
  for (const InFlight& item : in_flight) {
    const bool goes_on = item.fact->state == MemberState::kBinding && item.fact->plan == newest &&
                         !item.member->object.deleting;
    Hold(state, gang, item, goes_on ? Stage::kPrepared : Stage::kReturning);
    if (goes_on) binding.push_back(item);
  }
  if (binding.empty()) return;
  Plan plan{.id = newest, .stage = PlanStage::kBind};
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.standing != Standing::kBound) continue;
    if (member.plan == newest) {
      ++plan.bound;
    } else {
      plan.joining = true;
    }
  }
  plan.size = plan.bound + static_cast<int32_t>(binding.size());
  plan.gang_size = gang.roster.StartedUnder();
  RankInFlight(state, gang, binding);
  gang.plan = plan;
  state.starting.insert(id);
}

void RecallPlans(State& state) {
  std::map<GangKey, std::vector<InFlight>> by_gang;
  for (const auto& [uid, fact] : state.pipeline_facts) {
    const PodId id = state.pods.Find(uid);
    if (!id.valid() || state.pods.Get(id).member == nullptr) {
      state.counters.CountRefused("unknown pod");
      continue;
    }
    const Pod& pod = state.pods.Get(id);
    if (pod.node.valid() || pod.ended() || fact.node.empty()) continue;
    by_gang[state.gangs.Get(pod.gang).key].push_back({pod.member, &fact});
  }
  for (auto& [key, items] : by_gang) {
    std::sort(items.begin(), items.end(),
              [](const InFlight& a, const InFlight& b) { return a.member->key < b.member->key; });
    RecallPlan(state, state.gangs.Find(key), items);
  }
  state.pipeline_facts.clear();
}

}  // namespace

void ApplyConnect(State& state, const Connect& connect) {
  if (connect.epoch <= state.epoch) {
    state.counters.CountRefused("old epoch");
    return;
  }
  state.epoch = connect.epoch;
  state.synced = false;
  state.leading = false;
  state.plans_made = 0;
  state.outbox.StartEpoch();
  state.evictions.clear();
  state.board.ForgetFlights();
  ForgetTopologyWrites(state);
  state.job_reads.clear();
  state.pipeline_facts.clear();
  state.pass.Clear();
  state.starting.clear();
  state.reserving = 0;
  state.progress.Clear();
  state.unseen_nodes.clear();
  for (NodeId id : state.cluster.present_nodes()) {
    state.unseen_nodes.insert(state.cluster.node(id).object.name);
  }
  for (const auto& [key, id] : state.gangs.by_key()) ForgetPlan(state, id);
}

void ApplyDisconnect(State& state) {
  state.synced = false;
  state.leading = false;
  TouchAll(state);
}

void ApplySyncDone(State& state) {
  if (state.epoch == 0 || state.synced) {
    state.counters.CountRefused("unexpected end of snapshot");
    return;
  }
  RemoveUnseenObjects(state);
  RemoveUnseen(state);
  RecallPlans(state);
  state.synced = true;
  FindLostMembers(state);
  for (const auto& [key, id] : state.gangs.by_key()) {
    Gang& gang = state.gangs.Get(id);
    if (LooksPartBound(state, gang)) gang.repair_by = state.now + state.config.repair_deadline;
    state.Touch(id);
  }
  state.NoteRelease();
}

}  // namespace phalanx

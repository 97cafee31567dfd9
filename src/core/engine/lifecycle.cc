#include "core/engine/lifecycle.h"

#include <algorithm>

#include "core/engine/owners.h"
#include "core/explain/reason_text.h"

namespace phalanx {

void SetStage(State& state, Gang& gang, Member& member, Stage stage) {
  member.stage = stage;
  gang.roster.Refresh(member);
  state.unpublished.push_back(member.pod);
  state.Touch(state.pods.Get(member.pod).gang);
}

void MemberBound(State& state, Gang& gang, Member& member, const std::string& node) {
  Pod& pod = state.pods.Get(member.pod);
  if (pod.node.valid()) return;
  const bool in_plan = state.InPlan(gang, member);
  const bool released = in_plan && gang.plan->stage == PlanStage::kBind;
  if (released) ++gang.plan->bound;
  if (in_plan && !released) --gang.plan->size;
  pod.node = state.cluster.NodeForName(node);
  member.node = pod.node;
  member.object.node = node;
  if (!pod.ended()) {
    state.cluster.ledger().Book(member.pod, pod.node, BookingKind::kBound, pod.request);
  }
  SetStage(state, gang, member, Stage::kIdle);
  if (in_plan && !released) {
    WithdrawPlan(state, gang, state.NameOf(member) + " was bound by somebody else");
  }
}

void MemberReturned(State& state, Gang& gang, Member& member) {
  state.cluster.ledger().Release(member.pod);
  member.plan = 0;
  member.node = NodeId::None();
  member.rank = -1;
  SetStage(state, gang, member, Stage::kIdle);
  state.NoteRelease();
}

void MemberLost(State& state, Gang& gang, Member& member, const std::string& why) {
  if (!state.InPlan(gang, member)) return;
  if (gang.plan->stage != PlanStage::kBind) {
    WithdrawPlan(state, gang, why);
    return;
  }
  --gang.plan->size;
  SetStage(state, gang, member, Stage::kReturning);
}

void WithdrawPlan(State& state, Gang& gang, const std::string& why) {
  const Plan plan = *gang.plan;
  const GangId id = state.gangs.Find(gang.key);
  state.outbox.Send(Reject{gang.key, plan.id, why});
  for (auto& [key, member] : gang.roster.members()) {
    if (state.InPlan(gang, member)) SetStage(state, gang, member, Stage::kReturning);
  }
  gang.plan.reset();
  gang.resend_at = state.now + state.config.resend_after;
  state.starting.erase(id);
  state.Touch(id);
}

void BackOff(State& state, Gang& gang) {
  Duration wait = state.config.backoff_first;
  for (int32_t i = 0; i < gang.attempts && wait < state.config.backoff_last; ++i) {
    wait = wait + wait;
  }
  ++gang.attempts;
  gang.not_before = state.now + std::min(wait, state.config.backoff_last);
}

void BindRefused(State& state, Gang& gang, Member& member, const Reason& why) {
  gang.failure = why;
  gang.failure.member = state.NameOf(member);
  const bool joining = gang.plan->joining;
  --gang.plan->size;
  SetStage(state, gang, member, Stage::kReturning);
  if (joining) {
    BackOff(state, gang);
    return;
  }
  StartRollBack(state, gang);
}

void StartRollBack(State& state, Gang& gang) {
  gang.rolling_back = true;
  gang.evict_at = state.now;
  gang.repair_by = Time::Never();
  if (gang.plan) WithdrawPlan(state, gang, Explain(gang.failure));
}

namespace {

void EvictMember(State& state, Gang& gang, Member& member) {
  member.evicting = true;
  const uint64_t sequence = state.outbox.Send(Evict{gang.key, member.object.uid, member.object.ns,
                                                    member.object.name, Explain(gang.failure)});
  state.evictions[sequence] = member.object.uid;
}

}  // namespace

void AdvanceRollBack(State& state, Gang& gang) {
  if (!gang.rolling_back || !state.synced) return;
  const Roster& roster = gang.roster;
  if (roster.InPipeline() + roster.Count(Standing::kReturning) > 0) return;
  if (roster.Count(Standing::kBound) == 0) {
    gang.rolling_back = false;
    BackOff(state, gang);
    return;
  }
  if (!state.leading || gang.evict_at > state.now) return;
  for (auto& [key, member] : gang.roster.members()) {
    if (member.standing != Standing::kBound || member.evicting) continue;
    if (!WayOutOf(member.object.owner).evict) continue;
    EvictMember(state, gang, member);
  }
}

}  // namespace phalanx

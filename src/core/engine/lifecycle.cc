#include "core/engine/lifecycle.h"

#include <algorithm>

#include "core/engine/part_bound.h"

namespace phalanx {
namespace {

// The first wait after a passing setback.
constexpr Duration kPassingFirst = Duration::Seconds(1);

Reason PassingFailure(const std::string& why) {
  return {.code = ReasonCode::kBackoff, .subject = "plan withdrawn", .detail = why};
}

}  // namespace

bool OnMissingNode(const State& state, const Pod& pod) {
  return state.synced && pod.node.valid() && !state.cluster.node(pod.node).present;
}

void FindLostMembers(State& state) {
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (pod.member == nullptr || pod.member->node_gone == OnMissingNode(state, pod)) continue;
    Gang& gang = state.gangs.Get(pod.gang);
    pod.member->node_gone = !pod.member->node_gone;
    gang.roster.Refresh(*pod.member);
    gang.changed = true;
    state.Touch(pod.gang);
  }
}

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
  if (released) member.started_under = gang.plan->gang_size;
  if (in_plan && !released) --gang.plan->size;
  pod.node = state.cluster.NodeForName(node);
  member.node = pod.node;
  member.object.node = node;
  member.node_gone = OnMissingNode(state, pod);
  if (!pod.ended()) {
    state.cluster.ledger().Book(member.pod, pod.node, BookingKind::kBound, pod.request,
                                state.TalkOf(pod));
  }
  SetStage(state, gang, member, Stage::kIdle);
  if (in_plan && !released) {
    WithdrawPlan(state, gang, state.NameOf(member) + " was bound by somebody else");
  }
  if (!released) NoteAdopted(state, gang);
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
  ++gang.plan->lost;
  gang.failure = PassingFailure(why);
  SetStage(state, gang, member, Stage::kReturning);
}

void StopReserving(State& state, const Plan& plan) {
  if (plan.stage == PlanStage::kReserve) state.reserving -= plan.admitted;
}

void WithdrawPlan(State& state, Gang& gang, const std::string& why, Setback setback) {
  const Plan plan = *gang.plan;
  StopReserving(state, plan);
  const GangId id = state.gangs.Find(gang.key);
  state.outbox.Send(Reject{gang.key, plan.id, why});
  for (auto& [key, member] : gang.roster.members()) {
    if (state.InPlan(gang, member)) SetStage(state, gang, member, Stage::kReturning);
  }
  gang.plan.reset();
  gang.resend_at = state.now + state.config.resend_after;
  state.starting.erase(id);
  state.Touch(id);
  if (setback == Setback::kPassing) gang.failure = PassingFailure(why);
  BackOff(state, gang, setback);
}

void BackOff(State& state, Gang& gang, Setback setback) {
  if (setback == Setback::kNone) return;
  const bool serious = setback == Setback::kSerious;
  const Duration most = serious ? state.config.backoff_last : state.config.backoff_first;
  Duration wait = serious ? state.config.backoff_first : kPassingFirst;
  for (int32_t i = serious ? gang.serious_in_row : gang.attempts; i > 0 && wait < most; --i) {
    wait = wait + wait;
  }
  ++gang.attempts;
  if (serious) ++gang.serious_in_row;
  gang.not_before = std::max(gang.not_before, state.now + std::min(wait, most));
}

}  // namespace phalanx

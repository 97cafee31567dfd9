#include "core/engine/settle.h"

#include <algorithm>
#include <utility>

#include "core/engine/lifecycle.h"
#include "core/engine/neighbours.h"
#include "core/engine/queues.h"
#include "core/engine/reasons.h"
#include "core/engine/rollback.h"
#include "core/engine/show.h"
#include "core/engine/tell.h"
#include "core/engine/terms.h"

namespace phalanx {
namespace {

void Open(State& state, Gang& gang, PlanStage next, ReleaseStage stage, Time deadline) {
  gang.plan->stage = next;
  gang.plan->deadline = deadline;
  gang.republish = true;
  state.outbox.Send(Release{gang.key, gang.plan->id, stage});
}

// Both barriers opened, and yet it did not become what it should: members were lost meanwhile. A
// start that left some bound has until its bound to be made whole.
void FailPlan(State& state, Gang& gang, const Plan& plan) {
  if (gang.failure.code == ReasonCode::kNone) {
    gang.failure = {.code = ReasonCode::kBackoff, .subject = "members"};
    gang.failure.detail = "some were lost while others were bound";
  }
  if (gang.not_before <= state.now) BackOff(state, gang, Setback::kPassing);
  if (plan.joining || gang.roster.Count(Standing::kBound) == 0) return;
  const Time since = std::min(gang.partial_since, state.now);
  gang.repair_by = std::min(gang.repair_by, since + state.config.repair_deadline);
}

void FinishPlan(State& state, Gang& gang) {
  const Plan plan = *gang.plan;
  const bool whole = gang.roster.Placed() >= gang.terms.min;
  const bool good = plan.joining ? plan.lost == 0 : whole;
  state.starting.erase(state.gangs.Find(gang.key));
  gang.plan.reset();
  if (!good) {
    FailPlan(state, gang, plan);
    return;
  }
  gang.failure = {};
  gang.conflicts_in_row = 0;
  gang.attempts = 0;
  gang.serious_in_row = 0;
  gang.dry_run = false;
  if (plan.joining) return;
  gang.started = state.now;
  const Time since = gang.roster.Oldest().value_or(state.now);
  gang.waited = state.now - std::min(since, state.now);
  state.counters.CountStart(gang.waited);
}

// Both barriers count the members that have not come so far, in the roster's own counts.
void AdvanceBarriers(State& state, Gang& gang) {
  if (!gang.plan) return;
  const int32_t planned = gang.roster.Count(Standing::kPlanned);
  const int32_t reserved = gang.roster.Count(Standing::kReserved);
  if (gang.plan->stage == PlanStage::kReserve && planned == 0) {
    StopReserving(state, *gang.plan);
    Open(state, gang, PlanStage::kPrepare, ReleaseStage::kPrepare,
         state.now + state.config.prepare_deadline);
  }
  if (gang.plan->stage == PlanStage::kPrepare && planned + reserved == 0) {
    Open(state, gang, PlanStage::kBind, ReleaseStage::kBind, Time::Never());
  }
  if (gang.plan->stage == PlanStage::kBind && gang.roster.InPipeline() == 0) {
    FinishPlan(state, gang);
  }
}

void CheckDeadline(State& state, Gang& gang) {
  if (!gang.plan || gang.plan->deadline > state.now) return;
  const bool reserving = gang.plan->stage == PlanStage::kReserve;
  if (reserving) {
    const Time last = state.progress.Last(gang.plan->id);
    gang.plan->deadline = std::max(gang.plan->deadline, last + ReserveDeadline(state, gang));
    if (gang.plan->deadline > state.now) return;
  }
  const int32_t late = gang.roster.Count(Standing::kPlanned) +
                       (reserving ? 0 : gang.roster.Count(Standing::kReserved));
  Reason why{.code = ReasonCode::kBackoff};
  why.subject = reserving ? "reserve deadline" : "prepare deadline";
  why.detail =
      std::to_string(late) + " of " + std::to_string(gang.plan->size) +
      (reserving ? " members were not reserved in time" : " members were not prepared in time");
  gang.failure = why;
  WithdrawPlan(state, gang, why.detail, Setback::kSerious);
}

void CheckRepair(State& state, Gang& gang) {
  if (gang.repair_by == Time::Never()) return;
  const bool whole = gang.roster.Placed() >= gang.terms.min;
  if (whole || gang.roster.Count(Standing::kBound) == 0) {
    gang.repair_by = Time::Never();
    return;
  }
  if (gang.repair_by > state.now || (gang.plan && gang.plan->stage == PlanStage::kBind)) return;
  gang.failure = {.code = ReasonCode::kBackoff, .subject = "repair"};
  gang.failure.detail = "the missing members found no place beside the bound ones in time";
  StartRollBack(state, gang);
}

void ResendReject(State& state, Gang& gang) {
  if (gang.roster.Count(Standing::kReturning) == 0) {
    gang.resend_at = Time::Never();
    return;
  }
  if (gang.resend_at > state.now) return;
  std::set<uint64_t> plans;
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.standing == Standing::kReturning) plans.insert(member.plan);
  }
  // Others of that plan may still be on their way, with both barriers open.
  if (gang.plan) plans.erase(gang.plan->id);
  for (uint64_t plan : plans) state.outbox.Send(Reject{gang.key, plan, "the plan was withdrawn"});
  gang.resend_at = state.now + state.config.resend_after;
}

// What is true of the gang's history, from its phase.
void NoteHistory(State& state, Gang& gang) {
  const bool bound = gang.roster.Count(Standing::kBound) > 0;
  const bool whole = bound && gang.roster.Placed() >= gang.terms.min;
  if (gang.phase == GangPhase::kRunning && whole) gang.ran = true;
  if (gang.roster.Placed() == 0 && gang.roster.Live() > 0 && gang.ran) {
    gang.ran = false;
    gang.started = Time{};
    gang.waited = {};
  }
  if (gang.phase != GangPhase::kRepairing) gang.broken_since = Time::Never();
  if (gang.phase == GangPhase::kRepairing && gang.broken_since == Time::Never()) {
    gang.broken_since = state.now;
  }
  const bool starting = gang.plan && !gang.plan->joining;
  const bool partial = bound && !whole &&
                       (starting || gang.rolling_back || gang.repair_by != Time::Never() ||
                        (!gang.ran && gang.partial_since != Time::Never()));
  if (partial && gang.partial_since == Time::Never()) gang.partial_since = state.now;
  if (!partial && gang.partial_since != Time::Never()) {
    state.counters.CountPartialSpell(state.now - gang.partial_since);
    gang.partial_since = Time::Never();
  }
}

void UpdateForget(State& state, Gang& gang) {
  if (gang.phase == GangPhase::kDone) {
    if (gang.forget_at == Time::Never()) gang.forget_at = state.now + state.config.keep_done;
  } else if (gang.roster.members().empty()) {
    gang.forget_at = gang.not_before;
  } else {
    gang.forget_at = Time::Never();
  }
}

void UpdateQueue(State& state, GangId id, Gang& gang) {
  std::optional<OrderKey> key;
  if (IsPlannable(state, gang)) key = OrderKeyOf(gang);
  if (key == gang.queued && !gang.changed) return;
  if (gang.queued && key != gang.queued) {
    state.queue.Erase(*gang.queued);
    state.pass.Forget(*gang.queued);
    state.board.NotePositions(*gang.queued, state.now);
  }
  if (key && key != gang.queued) {
    state.queue.Insert(*key, id);
    state.board.NotePositions(*key, state.now);
  }
  if (key) state.pass.RequestOne(*key);
  gang.queued = std::move(key);
  gang.changed = false;
}

// Ended members of a forgotten gang stay known as pods.
void Forget(State& state, GangId id) {
  Gang& gang = state.gangs.Get(id);
  ShowFarewell(state, gang);
  for (auto& [key, member] : gang.roster.members()) {
    Pod& pod = state.pods.Get(member.pod);
    pod.gang = GangId::None();
    pod.member = nullptr;
  }
  if (gang.queued) {
    state.queue.Erase(*gang.queued);
    state.pass.Forget(*gang.queued);
    state.board.NotePositions(*gang.queued, state.now);
  }
  if (gang.terms.object) state.objects.Drop(*gang.terms.object, id);
  state.queues.Charge(gang.charge.queue, -gang.charge.devices);
  state.timers.Move(id, gang.wake, Time::Never());
  state.exclusive.erase(id);
  state.gangs.Remove(id);
}

void Settle(State& state, GangId id) {
  Gang& gang = state.gangs.Get(id);
  UpdateTerms(state, id);
  CheckTerms(state, gang);
  CheckDeadline(state, gang);
  AdvanceBarriers(state, gang);
  CheckRepair(state, gang);
  AdvanceRollBack(state, gang);
  ResendReject(state, gang);
  const bool gathered = gang.phase == GangPhase::kGathering;
  gang.phase = PhaseOf(gang);
  if (gathered && gang.phase == GangPhase::kQueued) gang.complete_since = state.now;
  NoteHistory(state, gang);
  gang.reason = ReasonOf(state, gang);
  UpdateCharge(state, gang);
  NoteExclusive(state, id);
  TellMembersLater(state, gang, gang.changed);
  UpdateQueue(state, id, gang);
  UpdateForget(state, gang);
  if (gang.forget_at <= state.now) {
    Forget(state, id);
    return;
  }
  ShowGangLater(state, gang);
  const Time wake = WakeOf(state, gang);
  state.timers.Move(id, gang.wake, wake);
  gang.wake = wake;
  std::string held = HeldReasonOf(gang);
  if (held != gang.held_reason) gang.republish = true;
  gang.held_reason = std::move(held);
  if (std::exchange(gang.republish, false)) Publish(state, gang);
}

}  // namespace

GangPhase PhaseOf(const Gang& gang) {
  const Roster& roster = gang.roster;
  const int32_t bound = roster.Count(Standing::kBound);
  if (gang.rolling_back && bound + roster.Count(Standing::kLost) > 0) {
    return GangPhase::kRollingBack;
  }
  const GangPhase placed =
      roster.Placed() >= gang.terms.min ? GangPhase::kRunning : GangPhase::kRepairing;
  if (gang.plan) return gang.plan->joining ? placed : GangPhase::kStarting;
  if (roster.Live() + roster.Count(Standing::kReturning) + roster.Count(Standing::kLost) == 0) {
    return gang.ran || !roster.members().empty() ? GangPhase::kDone : GangPhase::kGathering;
  }
  if (bound > 0) return placed;
  return GatherReason(gang).code == ReasonCode::kNone ? GangPhase::kQueued : GangPhase::kGathering;
}

bool IsPlannable(const State& state, const Gang& gang) {
  const Roster& roster = gang.roster;
  if (!state.synced || gang.plan || gang.rolling_back || gang.not_before > state.now) return false;
  if (roster.Count(Standing::kReady) == 0 || roster.Count(Standing::kReturning) > 0) return false;
  return OpenPlaces(gang) > 0 && GatherReason(gang).code == ReasonCode::kNone;
}

OrderKey OrderKeyOf(const Gang& gang) {
  OrderKey key;
  key.repair = gang.phase == GangPhase::kRepairing;
  key.priority = gang.terms.priority;
  key.since = key.repair ? gang.broken_since : gang.roster.Oldest().value_or(Time{});
  key.gang = gang.key;
  return key;
}

Time WakeOf(const State& state, const Gang& gang) {
  Time wake = Time::Never();
  const auto add = [&](Time at) {
    if (at > state.now) wake = std::min(wake, at);
  };
  if (gang.plan) add(gang.plan->deadline);
  add(gang.not_before);
  add(gang.repair_by);
  if (gang.roster.Count(Standing::kReturning) > 0) add(gang.resend_at);
  if (gang.rolling_back) add(gang.evict_at);
  add(gang.forget_at);
  return wake;
}

void SettleTouched(State& state) {
  while (!state.touched.empty()) {
    std::vector<std::pair<GangKey, GangId>> order;
    for (GangId id : state.touched) order.emplace_back(state.gangs.Get(id).key, id);
    state.touched.clear();
    std::sort(order.begin(), order.end());
    for (const auto& [key, id] : order) Settle(state, id);
    // Settling touches gangs that it is settling already: once is enough.
    for (const auto& [key, id] : order) state.touched.erase(id);
  }
  for (PodId id : state.unpublished) PublishPod(state, id);
  state.unpublished.clear();
}

}  // namespace phalanx

#include "core/engine/facts.h"

#include <fmt/format.h>

#include <vector>

#include "core/engine/lifecycle.h"
#include "core/engine/rollback.h"
#include "core/engine/show.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

// After so many plans in a row that plugins refused, the gang waits before the next.
constexpr int32_t kConflictsBeforeBackOff = 3;

Pod* MemberPod(State& state, const std::string& uid) {
  const PodId id = state.pods.Find(uid);
  if (!id.valid() || state.pods.Get(id).member == nullptr) {
    state.counters.CountRefused("unknown pod");
    return nullptr;
  }
  return &state.pods.Get(id);
}

void NoteProgress(State& state, uint64_t plan) {
  state.progress.ForgetBefore({state.now.ms - state.config.reserve_deadline.ms});
  state.progress.Note(plan, state.now);
}

// Steps never go back, and a stale or foreign plan steps nothing.
void Step(State& state, Gang& gang, Member& member, const MemberFact& fact, Stage stage) {
  if (!state.InPlan(gang, member) || fact.plan != member.plan) {
    state.counters.CountRefused("stale plan");
    return;
  }
  if (state.cluster.node(member.node).object.name != fact.node) {
    state.counters.CountRefused("node differs from plan");
    return;
  }
  if (member.stage >= stage) return;
  if (stage == Stage::kReserved) NoteProgress(state, member.plan);
  SetStage(state, gang, member, stage);
}

void Returned(State& state, Gang& gang, Member& member, const MemberFact& fact) {
  // A member that comes back although nobody withdrew its plan.
  if (state.InPlan(gang, member) && fact.plan == member.plan) {
    MemberLost(state, gang, member, state.NameOf(member) + " left the scheduler: " + fact.message);
  }
  if (member.stage == Stage::kReturning && fact.plan == member.plan) {
    MemberReturned(state, gang, member);
    gang.changed = true;
    return;
  }
  state.counters.CountRefused("stale plan");
}

void Refused(State& state, Gang& gang, Member& member, const MemberFact& fact) {
  if (!state.InPlan(gang, member) || fact.plan != member.plan) {
    state.counters.CountRefused("stale plan");
    return;
  }
  Reason why{.code = ReasonCode::kBackoff, .subject = "Binding"};
  why.detail = fact.code == 0 ? fact.message : fmt::format("{} {}", fact.code, fact.message);
  gang.dry_run = true;
  BindRefused(state, gang, member, why);
}

void Bound(State& state, Gang& gang, Member& member, const MemberFact& fact) {
  if (state.pods.Get(member.pod).node.valid()) return;
  if (fact.node.empty()) {
    state.counters.CountRefused("no node");
    return;
  }
  MemberBound(state, gang, member, fact.node);
  gang.changed = true;
}

Reason ReasonOfConflict(const State& state, const Member& member, const Conflict& conflict) {
  Reason why{.code = ReasonCode::kConflict, .subject = conflict.plugin};
  why.detail = conflict.message;
  why.member = state.NameOf(member);
  if (!conflict.pod_refused) why.domain = conflict.node;
  return why;
}

}  // namespace

void ApplyMemberFact(State& state, const MemberFact& fact) {
  if (!state.synced && fact.state != MemberState::kBound) {
    if (fact.state == MemberState::kReturned || fact.state == MemberState::kBindRefused) {
      state.pipeline_facts.erase(fact.pod_uid);
    } else {
      state.pipeline_facts[fact.pod_uid] = fact;
    }
    return;
  }
  Pod* pod = MemberPod(state, fact.pod_uid);
  if (pod == nullptr) return;
  Gang& gang = state.gangs.Get(pod->gang);
  Member& member = *pod->member;
  state.Touch(pod->gang);
  switch (fact.state) {
    case MemberState::kReserved:
      return Step(state, gang, member, fact, Stage::kReserved);
    case MemberState::kPrepared:
      return Step(state, gang, member, fact, Stage::kPrepared);
    case MemberState::kBinding:
      return;
    case MemberState::kBound:
      return Bound(state, gang, member, fact);
    case MemberState::kBindRefused:
      return Refused(state, gang, member, fact);
    case MemberState::kReturned:
      return Returned(state, gang, member, fact);
  }
}

void ApplyConflict(State& state, const Conflict& conflict) {
  state.counters.CountConflict(conflict.plugin);
  Pod* pod = MemberPod(state, conflict.pod_uid);
  if (pod == nullptr) return;
  Gang& gang = state.gangs.Get(pod->gang);
  Member& member = *pod->member;
  if (!state.InPlan(gang, member) || conflict.plan != member.plan) {
    state.counters.CountRefused("stale plan");
    return;
  }
  state.Touch(pod->gang);
  Reason why = ReasonOfConflict(state, member, conflict);
  if (!conflict.pod_refused) {
    state.exclusions.Add(member.shape, member.node, conflict.plugin,
                         state.now + state.config.exclusion_ttl);
  }
  if (gang.plan->stage == PlanStage::kBind) {
    why.code = ReasonCode::kBackoff;
    BindRefused(state, gang, member, why);
    return;
  }
  NoteProgress(state, member.plan);
  gang.failure = why;
  ++gang.conflicts_in_row;
  const bool elsewhere = !conflict.pod_refused && gang.conflicts_in_row <= kConflictsBeforeBackOff;
  WithdrawPlan(state, gang, Explain(why), elsewhere ? Setback::kNone : Setback::kSerious);
}

void ApplyLeadership(State& state, const Leadership& leadership) {
  state.leading = leadership.leading;
  if (state.leading) {
    for (const auto& [key, id] : state.gangs.by_key()) {
      if (state.gangs.Get(id).rolling_back) state.Touch(id);
    }
    return;
  }
  const std::vector<GangId> starting(state.starting.begin(), state.starting.end());
  for (GangId id : starting) {
    Gang& gang = state.gangs.Get(id);
    if (gang.plan->stage != PlanStage::kBind) {
      WithdrawPlan(state, gang, "the scheduler does not lead any more");
    }
  }
}

}  // namespace phalanx

#include "core/engine/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/engine/rollback.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

std::string NameOf(const Member& member) { return member.object.ns + "/" + member.object.name; }

Reason InvalidReason(const Member& member) {
  Reason reason{.code = ReasonCode::kInvalid};
  const Problem& problem = member.object.membership->problems.front();
  reason.subject = problem.field;
  reason.detail = fmt::format("is \"{}\", expected {}", problem.value, problem.expected);
  reason.member = NameOf(member);
  return reason;
}

// One field of two members that differ.
struct Difference {
  const char* field;
  std::string a, b;
};

Difference FirstDifference(const Terms& a, const Terms& b) {
  if (a.size != b.size) return {"gang size", fmt::to_string(a.size), fmt::to_string(b.size)};
  if (a.min != b.min) return {"gang minimum", fmt::to_string(a.min), fmt::to_string(b.min)};
  if (a.priority != b.priority) {
    return {"priority", fmt::to_string(a.priority), fmt::to_string(b.priority)};
  }
  if (a.required_level != b.required_level) {
    return {"required topology level", a.required_level, b.required_level};
  }
  if (a.object != b.object) {
    return {"object with their terms", a.object ? ToString(*a.object) : "",
            b.object ? ToString(*b.object) : ""};
  }
  if (a.exclusive_level != b.exclusive_level) {
    return {"exclusive topology level", a.exclusive_level, b.exclusive_level};
  }
  if (a.group.name != b.group.name) return {"group", a.group.name, b.group.name};
  if (a.group.size != b.group.size) {
    return {"group size", fmt::to_string(a.group.size), fmt::to_string(b.group.size)};
  }
  if (a.group.required_level != b.group.required_level) {
    return {"required topology level of the group", a.group.required_level, b.group.required_level};
  }
  if (a.group.preferred_level != b.group.preferred_level) {
    return {"preferred topology level of the group", a.group.preferred_level,
            b.group.preferred_level};
  }
  if (a.queue != b.queue) return {"queue", a.queue, b.queue};
  return {"preferred topology level", a.preferred_level, b.preferred_level};
}

Reason DisagreeReason(const Roster& roster) {
  const auto& [terms_a, members_a] = *roster.terms().begin();
  const auto& [terms_b, members_b] = *std::next(roster.terms().begin());
  const Difference diff = FirstDifference(terms_a, terms_b);
  Reason reason{.code = ReasonCode::kMembersDisagree};
  reason.subject = diff.field;
  reason.detail = fmt::format("\"{}\" of {} and \"{}\" of {}", diff.a, NameOf(**members_a.begin()),
                              diff.b, NameOf(**members_b.begin()));
  reason.member = NameOf(**members_b.begin());
  return reason;
}

Reason MissingReason(const Gang& gang) {
  const Roster& roster = gang.roster;
  Reason reason{.code = ReasonCode::kMembersMissing};
  reason.have = roster.Counted();
  reason.need = gang.terms.min;
  if (roster.gated().empty()) {
    // What was rolled back waits for its controller: the cause is not forgotten meanwhile.
    if (gang.failure.code != ReasonCode::kNone) reason.detail = Explain(gang.failure);
    return reason;
  }
  if (reason.have + roster.Count(Standing::kGated) >= reason.need) {
    reason.code = ReasonCode::kMembersGated;
  }
  const Member& gated = **roster.gated().begin();
  reason.subject = gated.object.gates.front();
  reason.detail = fmt::to_string(roster.Count(Standing::kGated));
  reason.member = NameOf(gated);
  return reason;
}

Reason RollingBackReason(const Gang& gang) {
  Reason reason{.code = ReasonCode::kRollingBack};
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.object.node.empty()) continue;
    if (member.standing == Standing::kSucceeded || member.standing == Standing::kFailed) continue;
    ++reason.have;
    const WayOut way = WayOutOf(gang, member);
    // Who stays is told once that is known.
    if (way.way == WayOut::Way::kAskJob) reason.code = ReasonCode::kReturning;
    if (way.way != WayOut::Way::kStay || !reason.member.empty()) continue;
    reason.member = NameOf(member);
    reason.subject = way.why;
  }
  reason.detail = Explain(gang.failure);
  return reason;
}

Reason WaitReason(const State& state, const Gang& gang) {
  Reason reason = GatherReason(gang);
  if (reason.code != ReasonCode::kNone) return reason;
  if (!state.synced) return {.code = ReasonCode::kSyncing};
  if (const int32_t returning = gang.roster.Count(Standing::kReturning); returning > 0) {
    reason.code = ReasonCode::kReturning;
    reason.have = returning;
    if (gang.failure.code != ReasonCode::kNone) reason.detail = Explain(gang.failure);
    return reason;
  }
  if (gang.not_before > state.now) {
    reason = gang.failure;
    reason.have = gang.attempts;
    reason.need = ((gang.not_before - state.now).ms + 999) / 1000;
    return reason;
  }
  if (gang.verdict.code != ReasonCode::kNone && !gang.changed) return gang.verdict;
  if (gang.failure.code == ReasonCode::kConflict) return gang.failure;
  return {.code = ReasonCode::kQueued};
}

}  // namespace

int32_t OpenPlaces(const Gang& gang) {
  return gang.terms.size - gang.roster.Placed() - gang.roster.InPipeline();
}

Reason GatherReason(const Gang& gang) {
  const Roster& roster = gang.roster;
  if (!roster.with_problems().empty()) return InvalidReason(**roster.with_problems().begin());
  if (roster.terms().size() > 1) return DisagreeReason(roster);
  if (gang.object_reason.code != ReasonCode::kNone) return gang.object_reason;
  if (roster.Counted() < gang.terms.min) return MissingReason(gang);
  if (gang.queue_reason.code != ReasonCode::kNone && roster.Count(Standing::kBound) == 0) {
    return gang.queue_reason;
  }
  if (const std::string* shared = roster.SharedLateObject()) {
    return {.code = ReasonCode::kLateObjects, .subject = *shared};
  }
  return {};
}

Reason ReasonOf(const State& state, const Gang& gang) {
  switch (gang.phase) {
    case GangPhase::kStarting:
    case GangPhase::kDone:
      return {};
    case GangPhase::kRollingBack:
      return RollingBackReason(gang);
    case GangPhase::kRunning:
    case GangPhase::kRepairing: {
      if (gang.plan) return {};
      const bool joiners = gang.roster.Count(Standing::kReady) > 0 && OpenPlaces(gang) > 0;
      if (gang.phase == GangPhase::kRunning && !joiners) return {};
      return WaitReason(state, gang);
    }
    default:
      return WaitReason(state, gang);
  }
}

std::string HeldReasonOf(const Gang& gang) {
  if (gang.reason.code != ReasonCode::kNone) return std::string(ReasonName(gang.reason.code));
  return "ExtraMember";
}

Published AnswerOf(const State& state, const Pod& pod) {
  if (!pod.ours || pod.node.valid() || pod.ended()) return {};
  if (pod.deleting) return {AnswerKind::kHeld, {}, 0, "Deleting"};
  if (pod.member == nullptr) return {AnswerKind::kLoose, {}, 0, ""};
  const Member& member = *pod.member;
  const Gang& gang = state.gangs.Get(pod.gang);
  if (!state.InPlan(gang, member)) return {AnswerKind::kHeld, {}, 0, gang.held_reason};
  const bool open = gang.plan->stage != PlanStage::kReserve;
  return {open ? AnswerKind::kReleased : AnswerKind::kPlanned, member.node, member.plan, ""};
}

void PublishPod(State& state, PodId id) {
  Pod& pod = state.pods.Get(id);
  if (pod.uid.empty()) return;
  Published now = AnswerOf(state, pod);
  if (now == pod.published) return;
  PodAnswer answer{pod.uid, now.kind, "", now.plan, now.reason};
  if (now.node.valid()) answer.node = state.cluster.node(now.node).object.name;
  state.outbox.Answer(std::move(answer));
  pod.published = std::move(now);
}

void Publish(State& state, const Gang& gang) {
  for (const auto& [key, member] : gang.roster.members()) PublishPod(state, member.pod);
}

}  // namespace phalanx

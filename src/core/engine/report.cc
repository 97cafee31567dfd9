#include "core/engine/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.h"
#include "core/engine/views.h"
#include "core/explain/object_name.h"
#include "core/explain/placement_text.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

// A gang may have thousands of members, and an object is to stay small.
constexpr size_t kMostOwners = 8;

// The controller that all members have in common; null: they have none, or not the same one.
const OwnerRef* CommonOwner(const Roster& roster) {
  const OwnerRef* common = nullptr;
  for (const auto& [key, member] : roster.members()) {
    const OwnerRef& owner = member.object.owner;
    if (owner.uid.empty() || (common != nullptr && owner.uid != common->uid)) return nullptr;
    common = &owner;
  }
  return common;
}

// Whoever they are, the API server collects the object when the last of them is gone, even while no
// brain runs. When those members are gone and others are not, it is made again with the next ones.
std::vector<OwnerRef> OwnersOf(const Roster& roster) {
  if (const OwnerRef* common = CommonOwner(roster)) return {*common};
  std::vector<OwnerRef> owners;
  for (const auto& [key, member] : roster.members()) {
    if (owners.size() == kMostOwners) break;
    owners.push_back({"v1", "Pod", key.name, key.uid});
  }
  return owners;
}

bool IsComplete(const Gang& gang) {
  switch (gang.reason.code) {
    case ReasonCode::kMembersMissing:
    case ReasonCode::kMembersGated:
    case ReasonCode::kInvalid:
    case ReasonCode::kMembersDisagree:
    case ReasonCode::kObjectMissing:
      return false;
    default:
      return true;
  }
}

GangCondition Condition(const Truth& truth, std::string reason, std::string message) {
  return {truth.holds, truth.since, std::move(reason), std::move(message)};
}

// A condition that holds says what with numbers; one that does not says the gang's reason.
void FillConditions(const Shown& shown, GangReport* report) {
  const bool reasoned = report->reason.code != ReasonCode::kNone;
  const std::string why(reasoned ? ReasonName(report->reason.code) : StateName(report->state));
  report->complete = Condition(shown.complete, why, report->explanation);
  report->ready = Condition(shown.ready, why, report->explanation);
  report->finished = Condition(shown.finished, why, report->explanation);
  if (shown.complete.holds) {
    report->complete.reason = "MembersPresent";
    report->complete.message = fmt::format("{} of {} members are there, the minimum is {}",
                                           report->present, report->size, report->min);
  }
  if (shown.ready.holds) {
    report->ready.reason = "MembersBound";
    report->ready.message = fmt::format("{} of {} members are bound{}", report->bound, report->size,
                                        report->domain.empty() ? "" : " in " + report->domain);
  }
  if (shown.finished.holds) {
    report->finished.reason = report->failed > 0 ? "MembersFailed" : "MembersSucceeded";
    report->finished.message =
        fmt::format("{} members succeeded, {} failed", report->succeeded, report->failed);
  }
}

void FillTimes(const State& state, const Gang& gang, GangReport* report) {
  if (report->state == GangState::kWaiting) {
    report->waiting_since = gang.roster.Oldest().value_or(Time::Never());
    if (gang.queued) report->position = state.queue.Position(*gang.queued);
  }
  if (gang.not_before > state.now) report->retry_at = gang.not_before;
  if (gang.started != Time{}) {
    report->started = gang.started;
    report->waited = gang.waited;
  }
}

std::string PlacementOf(const State& state, const Gang& gang) {
  std::vector<PlacedMember> members;
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.standing != Standing::kBound) continue;
    members.push_back({&*member.object.membership, member.node});
  }
  return PlacementText(state.cluster.topology(), members);
}

void Mark(bool holds, Time now, Truth* truth) {
  if (truth->since != Time::Never() && truth->holds == holds) return;
  *truth = {holds, now};
}

void Add(Hash& hash, const GangCondition& condition) {
  hash.Add(condition.holds).Add(condition.since).Add(condition.reason).Add(condition.message);
}

}  // namespace

GangState StateOf(GangPhase phase) {
  switch (phase) {
    case GangPhase::kGathering:
    case GangPhase::kQueued:
    case GangPhase::kHolding:
      return GangState::kWaiting;
    case GangPhase::kStarting:
      return GangState::kStarting;
    case GangPhase::kRunning:
      return GangState::kRunning;
    case GangPhase::kRepairing:
    case GangPhase::kRollingBack:
      return GangState::kRecovering;
    case GangPhase::kSuspended:
      return GangState::kSuspended;
    case GangPhase::kDone:
      return GangState::kFinished;
  }
  return GangState::kWaiting;
}

Headline HeadlineOf(const Gang& gang) { return {StateOf(gang.phase), gang.reason.code}; }

GangReport ReportOf(const State& state, const Gang& gang, const Shown& shown) {
  GangReport report;
  report.object = {gang.key, ObjectName(gang.key), OwnersOf(gang.roster)};
  report.state = StateOf(gang.phase);
  report.size = gang.terms.size;
  report.min = gang.terms.min;
  report.present = gang.roster.Counted();
  report.bound = gang.roster.Count(Standing::kBound);
  report.succeeded = gang.roster.Count(Standing::kSucceeded);
  report.failed = gang.roster.Count(Standing::kFailed);
  for (const auto& [key, member] : gang.roster.members()) {
    report.accelerators +=
        state.accelerators.CountIn(state.pods.Get(member.pod).request, state.cluster.resources());
  }
  report.priority = gang.terms.priority;
  report.queue = gang.queue;
  report.domain = gang.domain;
  report.placement = PlacementOf(state, gang);
  report.attempts = gang.attempts;
  report.reason = gang.reason;
  FillTimes(state, gang, &report);
  // Seconds that are left would be wrong a second later: retry_at is the time itself.
  if (report.reason.code == ReasonCode::kBackoff || report.reason.code == ReasonCode::kConflict) {
    report.reason.need = 0;
  }
  report.explanation = Explain(report.reason, AskedOf(state, gang));
  FillConditions(shown, &report);
  return report;
}

GangReport FarewellOf(const State& state, const Gang& gang, const Shown& shown) {
  GangReport report = ReportOf(state, gang, shown);
  report.state = GangState::kFinished;
  report.reason = {};
  report.explanation = "all members were deleted";
  const auto fill = [&](GangCondition* condition, bool holds) {
    if (condition->holds != holds || condition->since == Time::Never()) {
      condition->since = state.now;
    }
    *condition = {holds, condition->since, "MembersDeleted", report.explanation};
  };
  fill(&report.complete, false);
  fill(&report.ready, false);
  fill(&report.finished, true);
  return report;
}

void NoteTruths(const Gang& gang, Time now, Shown* shown) {
  Mark(IsComplete(gang), now, &shown->complete);
  Mark(gang.phase == GangPhase::kRunning, now, &shown->ready);
  Mark(gang.phase == GangPhase::kDone, now, &shown->finished);
}

uint64_t PrintOf(const GangReport& report) {
  Hash hash;
  hash.Add(report.state).Add(report.size).Add(report.min).Add(report.present).Add(report.bound);
  hash.Add(report.succeeded).Add(report.failed).Add(report.accelerators).Add(report.priority);
  hash.Add(report.queue).Add(report.position).Add(report.waiting_since).Add(report.retry_at);
  hash.Add(report.started)
      .Add(report.waited)
      .Add(report.domain)
      .Add(report.placement)
      .Add(report.attempts)
      .Add(report.reason);
  hash.Add(report.explanation).Add(PrintOf(report.object.owners));
  for (const auto* condition : {&report.complete, &report.ready, &report.finished}) {
    Add(hash, *condition);
  }
  return hash.Done() | 1;
}

uint64_t PrintOf(const std::vector<OwnerRef>& owners) {
  Hash hash;
  for (const OwnerRef& owner : owners) hash.Add(owner.kind).Add(owner.name).Add(owner.uid);
  return hash.Done() | 1;
}

}  // namespace phalanx

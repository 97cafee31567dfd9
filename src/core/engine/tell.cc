#include "core/engine/tell.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/hash.h"
#include "core/engine/reasons.h"
#include "core/explain/object_name.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

constexpr char kWaiting[] = "WaitingForGang";
constexpr char kExtra[] = "ExtraMember";
constexpr char kInvalidGang[] = "InvalidGang";
constexpr char kInvalidInput[] = "InvalidInput";
// Pods that were told that they can't be read; when there are more, all may be told again.
constexpr size_t kRefusedKept = 10'000;

// What only a change by the author, or the admin, ends.
bool IsWarning(ReasonCode code) {
  switch (code) {
    case ReasonCode::kInvalid:
    case ReasonCode::kMembersDisagree:
    case ReasonCode::kNoSuchNode:
    case ReasonCode::kLevelUnknown:
    case ReasonCode::kLateObjects:
    case ReasonCode::kConflict:
    case ReasonCode::kBackoff:
    case ReasonCode::kRollingBack:
      return true;
    default:
      return false;
  }
}

// Whether a member is left out: the `nth` of those that are ready, counted from 1.
bool IsExtra(const Gang& gang, int32_t nth) {
  const Roster& roster = gang.roster;
  return nth > OpenPlaces(gang) && roster.with_problems().empty() && roster.terms().size() == 1;
}

std::string WhereToLook(const Gang& gang) {
  return fmt::format("kubectl -n {} describe gang {}", gang.key.ns, ObjectName(gang.key));
}

PodEvent EventFor(const Gang& gang, const Member& member, bool extra) {
  PodEvent event{member.object.uid, member.object.ns, member.object.name, false, kWaiting, ""};
  if (extra) {
    event.warning = true;
    event.reason = kExtra;
    event.message = fmt::format("gang {} has size {} and enough members: this pod is held ({})",
                                gang.key.name, gang.terms.size, WhereToLook(gang));
    return event;
  }
  const ReasonCode code = gang.reason.code;
  event.warning = IsWarning(code);
  if (code == ReasonCode::kInvalid || code == ReasonCode::kMembersDisagree) {
    event.reason = kInvalidGang;
  }
  event.message =
      fmt::format("gang {} waits ({}): {}", gang.key.name, WhereToLook(gang), Explain(gang.reason));
  return event;
}

PodWaits ConditionFor(const State& state, const Gang& gang, const Member& member, bool extra) {
  PodWaits waits{member.object.uid, member.object.ns, member.object.name, state.now, "", ""};
  waits.reason = extra ? kExtra : kWaiting;
  waits.message =
      extra ? fmt::format("gang {} has enough members; see {}", gang.key.name, WhereToLook(gang))
            : fmt::format("gang {} waits as a whole; why, and its place in the order: {}",
                          gang.key.name, WhereToLook(gang));
  return waits;
}

void Tell(State& state, const Gang& gang, Member& member, bool extra) {
  member.told = true;
  state.board.budget.Spend();
  state.outbox.Send(ConditionFor(state, gang, member, extra));
  state.board.budget.Spend();
  state.outbox.Send(EventFor(gang, member, extra));
}

}  // namespace

void TellMembersLater(State& state, Gang& gang, bool changed) {
  if (changed) gang.untold = true;
  if (!state.synced || !gang.untold || gang.roster.Count(Standing::kReady) == 0) return;
  gang.untold = false;
  state.board.QueueMembers(gang.key, state.now + state.config.tell_after);
}

void TellOneMember(State& state, const GangKey& key) {
  const GangId id = state.gangs.Find(key);
  if (!id.valid()) return;
  Gang& gang = state.gangs.Get(id);
  Time next = Time::Never();
  int32_t ready = 0;
  bool told = false;
  for (auto& [member_key, member] : gang.roster.members()) {
    if (member.standing != Standing::kReady) continue;
    const bool extra = IsExtra(gang, ++ready);
    if (member.told || (!extra && gang.reason.code == ReasonCode::kNone)) continue;
    const Time waits_since = extra ? member.seen : std::max(member.seen, gang.complete_since);
    const Time due = waits_since + state.config.tell_after;
    if (due <= state.now && !std::exchange(told, true)) {
      Tell(state, gang, member, extra);
      continue;
    }
    next = std::min(next, std::max(due, state.now));
    if (told && next <= state.now) break;
  }
  if (next != Time::Never()) state.board.QueueMembers(key, next);
}

void TellRefused(State& state, const Changes& changes) {
  for (const RefusedPod& pod : changes.refused_pods) {
    if (state.refused_told.size() >= kRefusedKept) state.refused_told.clear();
    uint64_t& print = state.refused_told[pod.uid];
    if (const uint64_t now = Hash().Add(pod.what).Done(); std::exchange(print, now) == now)
      continue;
    state.board.QueueEvent(PodEvent{pod.uid, pod.ns, pod.name, true, kInvalidInput, pod.what},
                           state.now);
  }
}

}  // namespace phalanx

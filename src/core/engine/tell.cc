#include "core/engine/tell.h"

#include <fmt/format.h>

#include "core/engine/reasons.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

enum class Weight { kSilent, kNormal, kWarning };

// Passing states are silent: they are in the gang's status, and end by themselves.
Weight WeightOf(ReasonCode code) {
  switch (code) {
    case ReasonCode::kInvalid:
    case ReasonCode::kMembersDisagree:
    case ReasonCode::kNoSuchNode:
    case ReasonCode::kLevelUnknown:
    case ReasonCode::kLateObjects:
    case ReasonCode::kConflict:
    case ReasonCode::kBackoff:
    case ReasonCode::kRollingBack:
      return Weight::kWarning;
    case ReasonCode::kMembersGated:
    case ReasonCode::kCapacity:
    case ReasonCode::kFragmentation:
    case ReasonCode::kTopology:
      return Weight::kNormal;
    default:
      return Weight::kSilent;
  }
}

void Send(State& state, const Member& member, bool warning, std::string reason,
          std::string message) {
  state.outbox.Send(PodEvent{member.object.uid, member.object.ns, member.object.name, warning,
                             std::move(reason), std::move(message)});
}

const Member* FirstLive(const Gang& gang) {
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.object.phase == PodPhase::kPending || member.object.phase == PodPhase::kRunning) {
      return &member;
    }
  }
  return nullptr;
}

}  // namespace

void TellReason(State& state, Gang& gang) {
  const ReasonCode code = gang.reason.code;
  const Weight weight = WeightOf(code);
  if (weight == Weight::kSilent || !gang.told.insert(code).second) return;
  const Member* member = FirstLive(gang);
  if (member == nullptr) return;
  const bool invalid = code == ReasonCode::kInvalid || code == ReasonCode::kMembersDisagree;
  Send(state, *member, weight == Weight::kWarning,
       invalid ? "InvalidGang" : std::string(ReasonName(code)),
       fmt::format("gang {} waits: {}", gang.key.name, Explain(gang.reason)));
}

void TellStarted(State& state, Gang& gang) {
  gang.told.clear();
  const Member* member = FirstLive(gang);
  if (member == nullptr) return;
  Send(state, *member, false, "GangStarted",
       fmt::format("gang {} started: {} of {} members are bound{}", gang.key.name,
                   gang.roster.Count(Standing::kBound), gang.terms.size,
                   gang.domain.empty() ? "" : " in " + gang.domain));
}

void TellExtras(State& state, Gang& gang) {
  const int32_t ready = gang.roster.Count(Standing::kReady);
  const int32_t extras = ready - OpenPlaces(gang);
  if (extras <= 0 || gang.told_extra || !gang.roster.with_problems().empty()) return;
  gang.told_extra = true;
  int32_t seen = 0;
  for (const auto& [key, member] : gang.roster.members()) {
    if (member.standing != Standing::kReady || ++seen <= ready - extras) continue;
    Send(state, member, true, "ExtraMember",
         fmt::format("gang {} has size {} and enough members: this pod is held", gang.key.name,
                     gang.terms.size));
    return;
  }
}

}  // namespace phalanx

#include "core/engine/part_bound.h"

#include <algorithm>

#include "core/engine/terms.h"

namespace phalanx {

bool LooksPartBound(const State& state, const Gang& gang) {
  const Roster& roster = gang.roster;
  if (roster.Count(Standing::kBound) == 0 || roster.terms().empty()) return false;
  const int32_t min = TermsNow(state, gang).min;
  if (roster.Placed() >= min || roster.Counted() < min) return false;
  Time newest_bound{0};
  Time first_binding = Time::Never();
  Time oldest_waiting = Time::Never();
  for (const auto& [key, member] : roster.members()) {
    const Time created = member.object.created;
    if (member.standing == Standing::kBound) {
      newest_bound = std::max(newest_bound, created);
      first_binding = std::min(first_binding, member.object.bound);
    }
    if (member.object.node.empty() && !member.object.deleting) {
      oldest_waiting = std::min(oldest_waiting, created);
    }
  }
  const bool soon = !gang.ran && first_binding != Time{0} &&
                    oldest_waiting <= first_binding + state.config.repair_deadline;
  return oldest_waiting <= newest_bound || soon;
}

void NoteAdopted(State& state, Gang& gang) {
  if (!state.synced || gang.ran || gang.rolling_back) return;
  const bool first = gang.roster.Count(Standing::kBound) == 1;
  if (!first && !LooksPartBound(state, gang)) return;
  gang.repair_by = std::min(gang.repair_by, state.now + state.config.repair_deadline);
}

}  // namespace phalanx

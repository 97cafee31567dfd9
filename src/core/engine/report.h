// What the Gang object of a gang says now.
#ifndef PHALANX_CORE_ENGINE_REPORT_H_
#define PHALANX_CORE_ENGINE_REPORT_H_

#include <cstdint>
#include <vector>

#include "core/engine/board.h"
#include "core/engine/gang.h"
#include "core/engine/state.h"
#include "phalanx/gang_report.h"

namespace phalanx {

GangState StateOf(GangPhase phase);
Headline HeadlineOf(const Gang& gang);

// O(members). The times of conditions are those in `shown`.
GangReport ReportOf(const State& state, const Gang& gang, const Shown& shown);
// Of a gang whose members were all deleted at `now`.
GangReport FarewellOf(const State& state, const Gang& gang, const Shown& shown);

// Brings the times of conditions up to date.
void NoteTruths(const Gang& gang, Time now, Shown* shown);

// Hashes; never 0.
uint64_t PrintOf(const GangReport& report);
uint64_t PrintOf(const std::vector<OwnerRef>& owners);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_REPORT_H_

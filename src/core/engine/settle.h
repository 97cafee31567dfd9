// After each command every gang that it touched is settled: barriers, roll back, phase, reason,
// place in the queue, timer, answers. Nothing else derives state, so nothing can forget to.
#ifndef PHALANX_CORE_ENGINE_SETTLE_H_
#define PHALANX_CORE_ENGINE_SETTLE_H_

#include "core/engine/gang.h"
#include "core/engine/state.h"

namespace phalanx {

// Settles all touched gangs, in the order of their keys.
void SettleTouched(State& state);

GangPhase PhaseOf(const Gang& gang);
// Whether the gang can be planned now.
bool IsPlannable(const State& state, const Gang& gang);
// Its place in the order of waiting gangs.
OrderKey OrderKeyOf(const Gang& gang);
// When it wants to be looked at next, after now.
Time WakeOf(const State& state, const Gang& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_SETTLE_H_

// From the waiting gangs to Admit: one slice of the pass.
//
// A gang without bound members is placed whole (or at least its minimum, where that is less than
// what is there). A gang with bound members is not moved: each waiting member is placed alone,
// inside the gang's required domain, and all that find a place are admitted as one plan.
//
// No gang waits for the one before it: what does not fit is passed over and keeps its place in the
// order, and smaller gangs behind it run in the same pass. So a large gang can be overtaken again
// and again; what bounds that is not here yet.
#ifndef PHALANX_CORE_ENGINE_PLANNING_H_
#define PHALANX_CORE_ENGINE_PLANNING_H_

#include <cstdint>

#include "core/engine/state.h"
#include "core/place/placement.h"

namespace phalanx {

// Looks at due gangs until about `work_units` are spent.
void RunPlanSlice(State& state, int64_t work_units);

bool HasPlanningWork(const State& state);

// What the search is asked last about a gang that waits: for the fewest members that may start, or
// may join. Without roles if there is nobody to place. REQUIRES: the topology is up to date.
PlacementRequest LastRequest(const State& state, Gang& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_PLANNING_H_

// Who holds what nodes share.
#ifndef PHALANX_CORE_ENGINE_SHARED_POOLS_H_
#define PHALANX_CORE_ENGINE_SHARED_POOLS_H_

#include <vector>

#include "core/engine/state.h"
#include "phalanx/view.h"

namespace phalanx {

// Completes a refusal for want of a shared resource by its capacity and who holds it; others stay
// as they are. O(pods with room).
void NoteHolders(const State& state, Reason& reason);

// All that are declared, by name. O(pods with room x pools).
std::vector<PoolView> ViewPools(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_SHARED_POOLS_H_

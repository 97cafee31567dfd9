// What must hold between two commands, checked against a recomputation from the inputs.
#ifndef PHALANX_CORE_ENGINE_INVARIANTS_H_
#define PHALANX_CORE_ENGINE_INVARIANTS_H_

#include <string>
#include <vector>

#include "core/engine/state.h"

namespace phalanx {

// In words; empty is right. O(state).
std::vector<std::string> FindBrokenInvariants(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_INVARIANTS_H_

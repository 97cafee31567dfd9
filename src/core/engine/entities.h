// The hashes that are shown: per host, per gang, and of the rest of the engine.
#ifndef PHALANX_CORE_ENGINE_ENTITIES_H_
#define PHALANX_CORE_ENGINE_ENTITIES_H_

#include <string>
#include <vector>

#include "core/engine/state.h"
#include "phalanx/view.h"

namespace phalanx {

// See Engine::Hashes(). Hosts that are not there are listed while something is booked on them.
std::vector<EntityHash> EntityHashes(const State& state);
// See Engine::FieldHashes().
std::vector<FieldHash> FieldHashes(const State& state, EntityKind kind, const std::string& name);
// Entities whose derived state is not what a recomputation gives, in words.
std::vector<std::string> StaleEntities(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_ENTITIES_H_

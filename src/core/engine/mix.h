// Keeps the mix of shapes that fragmentation is measured against.
#ifndef PHALANX_CORE_ENGINE_MIX_H_
#define PHALANX_CORE_ENGINE_MIX_H_

#include "core/engine/state.h"

namespace phalanx {

// A member came that has not ended.
void NoteCame(State& state, const Member& member);
// Before planning: another mix where it is due. Of what waits, the gangs that are first in order
// count, up to a number. O(shapes), where it is due also O(their members).
void RefreshMix(State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_MIX_H_

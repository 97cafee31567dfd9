// Epochs: a new adapter, its snapshot, and what of the work under way survives.
//
// On Connect every plan is forgotten and every hold dropped: no decision is made before SyncDone,
// and by then the snapshot has said what is true. BINDING facts make the plan of a gang that was
// mid-bind known again; members that wait in a barrier under an older plan are told to leave.
#ifndef PHALANX_CORE_ENGINE_SNAPSHOT_H_
#define PHALANX_CORE_ENGINE_SNAPSHOT_H_

#include "core/engine/state.h"
#include "phalanx/command.h"

namespace phalanx {

void ApplyConnect(State& state, const Connect& connect);
void ApplyDisconnect(State& state);
void ApplySyncDone(State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_SNAPSHOT_H_

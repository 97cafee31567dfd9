// Starts that were cut in two, of which this brain knows by the objects alone.
#ifndef PHALANX_CORE_ENGINE_PART_BOUND_H_
#define PHALANX_CORE_ENGINE_PART_BOUND_H_

#include "core/engine/gang.h"
#include "core/engine/state.h"

namespace phalanx {

// A start that was cut in two, as far as the objects tell: members are missing, all pods for it are
// there, and one that waits is as old as the bound ones, or was made so soon after the first of
// them was bound that it replaces a member which that start has lost. A waiting member that is
// younger replaces one that a running gang has lost: then the survivors are kept, however long it
// takes.
bool LooksPartBound(const State& state, const Gang& gang);

// A member was bound after the snapshot, and by no plan of this brain: a Binding of a former leader
// that was slow, or somebody else's. If that is the beginning of a start, it has its time to become
// whole, as if the snapshot had shown it.
void NoteAdopted(State& state, Gang& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_PART_BOUND_H_

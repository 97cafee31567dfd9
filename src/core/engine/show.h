// Gang objects: which are due, what is sent, and what becomes of it.
//
// A gang of several has one from its first member on, a gang of one when it has waited for a while.
// It is made again when it is found missing, and goes keep_done after the end of the gang. Whether
// an object is there is learnt from the results of writes.
#ifndef PHALANX_CORE_ENGINE_SHOW_H_
#define PHALANX_CORE_ENGINE_SHOW_H_

#include "core/engine/gang.h"
#include "core/engine/state.h"
#include "phalanx/command.h"

namespace phalanx {

// The gang was settled: queues its object if that may not be true any more. O(log gangs).
void ShowGangLater(State& state, const Gang& gang);
// The gang is forgotten.
void ShowFarewell(State& state, const Gang& gang);

// How a write ended; false if it was none of an object.
bool NoteWritten(State& state, const DirectiveResult& result);

// Writes what is due and the budget allows: the last step of every command. Looks at a bounded
// number of objects.
void WriteDue(State& state);
// When it wants to be called again.
Time NextWrite(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_SHOW_H_

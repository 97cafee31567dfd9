// Kubernetes events about a gang, on one of its members. Bounded: one per reason code and wait.
#ifndef PHALANX_CORE_ENGINE_TELL_H_
#define PHALANX_CORE_ENGINE_TELL_H_

#include "core/engine/gang.h"
#include "core/engine/state.h"

namespace phalanx {

// Tells gang.reason if its author must know of it and was not told in this wait.
void TellReason(State& state, Gang& gang);
void TellStarted(State& state, Gang& gang);
// There are more members than the gang's size: told once, on the first that is left out.
void TellExtras(State& state, Gang& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_TELL_H_

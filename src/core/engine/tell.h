// What the members of a gang are told about its waiting: one event and one condition each, once,
// and nothing where the gang starts soon. Everything else is in the Gang object, which both name.
#ifndef PHALANX_CORE_ENGINE_TELL_H_
#define PHALANX_CORE_ENGINE_TELL_H_

#include "core/engine/gang.h"
#include "core/engine/state.h"
#include "phalanx/command.h"

namespace phalanx {

// The gang was settled: its members are to be told when they have waited for tell_after. O(log
// gangs). `changed`: members came or changed.
void TellMembersLater(State& state, Gang& gang, bool changed);

// Tells the first member that is due, and queues the gang again, behind others, for the next one.
// O(members).
void TellOneMember(State& state, const GangKey& key);

// Events for the authors of pods that can't be read. Each pod is told once about the same.
void TellRefused(State& state, const Changes& changes);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_TELL_H_

// What the adapter reports: member facts, conflicts, leadership.
#ifndef PHALANX_CORE_ENGINE_FACTS_H_
#define PHALANX_CORE_ENGINE_FACTS_H_

#include "core/engine/state.h"
#include "phalanx/command.h"

namespace phalanx {

void ApplyMemberFact(State& state, const MemberFact& fact);
void ApplyConflict(State& state, const Conflict& conflict);
void ApplyLeadership(State& state, const Leadership& leadership);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_FACTS_H_

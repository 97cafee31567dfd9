// A start that failed while members were bound: what is bound leaves, by the way of its owner.
//
//   StartRollBack ─► nothing in the pipeline ─► Jobs are asked ─► Evict × bound members ─► back-off
//                                                    └─► those that would die of it stay
#ifndef PHALANX_CORE_ENGINE_ROLLBACK_H_
#define PHALANX_CORE_ENGINE_ROLLBACK_H_

#include "core/engine/gang.h"
#include "core/engine/owners.h"
#include "core/engine/state.h"

namespace phalanx {

// The Binding of a member was refused for good, or a dry run of it while nothing is bound. After
// the second barrier a start is rolled back and a joining member waits; before it the plan is
// withdrawn.
void BindRefused(State& state, Gang& gang, Member& member, const Reason& why);

// The gang's start failed for good (Gang::failure says why): what is bound leaves, what is not
// bound is withdrawn.
void StartRollBack(State& state, Gang& gang);

// Lets what is bound leave, when nothing of the gang is in the pipeline any more; ends the roll
// back when nothing is bound.
void AdvanceRollBack(State& state, Gang& gang);

// What came of an Evict or a ReadJob; of other directives nothing.
void ApplyDirectiveResult(State& state, const DirectiveResult& result);

// How the member leaves, as far as it is known.
WayOut WayOutOf(const Gang& gang, const Member& member);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_ROLLBACK_H_

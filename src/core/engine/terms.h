// What a gang is held to: size, minimum, levels, priority. Its members say it, or an object that
// they name (a PodGroup) says size and minimum.
//
// The object counts for the *start*:
//
//   gathering, queued   no start without it, nor while it can't be read or contradicts the members
//   starting            a plan that it does not allow any more is withdrawn, until both barriers
//                       opened
//   running             never less than it was: a minimum that is raised later, or an object that
//                       goes, takes nothing from the members that are bound. They remember the
//                       minimum that they were started under (Member::started_under, from the
//                       annotations that the Binding wrote).
//
// The size of such a gang is the number of its pods: those beyond the minimum are started with it
// where they fit, and join it later where they do not.
#ifndef PHALANX_CORE_ENGINE_TERMS_H_
#define PHALANX_CORE_ENGINE_TERMS_H_

#include "core/engine/state.h"

namespace phalanx {

// What is right now, by members and objects; what it was before where no member is left to tell.
Terms TermsNow(const State& state, const Gang& gang);
// Why the object that the members name keeps the gang from being started; kNone if it does not.
Reason ObjectReason(const State& state, const Terms& terms);
// Puts both in place, and keeps track of which object the gang reads.
void UpdateTerms(State& state, GangId id);
// Withdraws the plan of a start that the object does not allow any more.
void CheckTerms(State& state, Gang& gang);
// How long members may wait for each other at the Permit barrier.
Duration ReserveDeadline(const State& state, const Gang& gang);

// Objects come, change and go.
void ApplyObjects(State& state, const Changes& changes);
// After a snapshot: what was not in it is gone.
void RemoveUnseenObjects(State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_TERMS_H_

// Why a gang waits, and what its members are answered meanwhile.
#ifndef PHALANX_CORE_ENGINE_REASONS_H_
#define PHALANX_CORE_ENGINE_REASONS_H_

#include <string>

#include "core/engine/gang.h"
#include "core/engine/state.h"

namespace phalanx {

// How many more members may be placed: size - bound - succeeded - in the pipeline.
int32_t OpenPlaces(const Gang& gang);
// What keeps a gang from being planned before any node is looked at: kNone if nothing does.
Reason GatherReason(const Gang& gang);
// The reason that is right now, given the last one; kNone for a gang that does not wait.
// REQUIRES: gang.phase is up to date.
Reason ReasonOf(const State& state, const Gang& gang);

// What a member of the gang that has no plan is answered.
std::string HeldReasonOf(const Gang& gang);
// The answer that is right for a pod now.
Published AnswerOf(const State& state, const Pod& pod);
// Answers every pod of State::unpublished, and all members of gangs that ask for it.
void Publish(State& state, const Gang& gang);
void PublishPod(State& state, PodId id);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_REASONS_H_

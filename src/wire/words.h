// The words for the engine's enums that HTTP, InspectService and metrics show: the names of
// core/explain in camelCase.
#ifndef PHALANX_WIRE_WORDS_H_
#define PHALANX_WIRE_WORDS_H_

#include <string>

#include "phalanx/view.h"

namespace phalanx::wire {

// "gathering", "queued", ...
std::string Name(GangPhase phase);
// "membersMissing", "capacity", ...
std::string Name(ReasonCode code);
std::string Name(ExclusionCause cause);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_WORDS_H_

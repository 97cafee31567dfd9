// The words for the engine's enums that HTTP, InspectService and metrics show, and errors of HTTP.
#ifndef PHALANX_WIRE_JSON_VIEW_H_
#define PHALANX_WIRE_JSON_VIEW_H_

#include <string>

#include "phalanx/view.h"

namespace phalanx::wire {

// "gathering", "queued", ...
std::string Name(GangPhase phase);
// "membersMissing", "capacity", ...
std::string Name(ReasonCode code);
std::string Name(ExclusionCause cause);
std::string Name(ProvenThrough proven);

// {"error": {"code": 404, "message": "..."}}. Text that is not UTF-8 is replaced, never thrown
// over.
std::string ErrorToJson(int code, const std::string& message);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_JSON_VIEW_H_

// Views of the engine as JSON text: what the HTTP API serves and the simulator prints.
//
// Field names are camelCase, enums are words, times are milliseconds since the Unix epoch,
// quantities as in phalanx/objects.h. Absent values are left out. Text that is not UTF-8 is
// replaced, never thrown over.
#ifndef PHALANX_WIRE_JSON_VIEW_H_
#define PHALANX_WIRE_JSON_VIEW_H_

#include <string>
#include <vector>

#include "phalanx/view.h"

namespace phalanx::wire {

// "gathering", "queued", ...
std::string Name(GangPhase phase);
// "membersMissing", "capacity", ...
std::string Name(ReasonCode code);
std::string Name(ExclusionCause cause);

// {"gangs": [...]} without members.
std::string GangsToJson(const std::vector<GangView>& gangs);
// One gang with its members.
std::string GangToJson(const GangView& gang);
// {"nodes": [...]}
std::string NodesToJson(const std::vector<NodeView>& nodes);
// {"generation": N, "levels": [...], "domains": [...]}
std::string TopologyToJson(const TopologyView& topology);
// {"error": {"code": 404, "message": "..."}}
std::string ErrorToJson(int code, const std::string& message);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_JSON_VIEW_H_

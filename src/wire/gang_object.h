// Gang objects, and the condition of a waiting pod, as the API server takes them.
//
// deploy/helm/phalanx/files/crds/ declares the fields; docs/ARCHITECTURE.md says who writes which
// part how. Times are RFC 3339 in whole seconds, UTC.
//
// Threads: pure functions. Text that is not UTF-8 is replaced, never thrown over.
#ifndef PHALANX_WIRE_GANG_OBJECT_H_
#define PHALANX_WIRE_GANG_OBJECT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "phalanx/gang_report.h"
#include "phalanx/outcome.h"
#include "phalanx/time.h"

namespace phalanx::wire {

inline constexpr char kGangGroup[] = "phalanx.dev";
inline constexpr char kGangVersion[] = "v1alpha1";
inline constexpr char kGangResource[] = "gangs";

// For server-side apply: all that we own of the object but its status.
std::string GangManifest(const GangObject& object);

// A merge patch of the subresource status. What is not known is left out, and so left as it is;
// what is not there any more is null.
std::string GangStatusPatch(const GangReport& report);

// A strategic merge patch of a pod's status.
std::string WaitsPatch(const PodWaits& waits);

// One condition of a status, as the API server takes it.
nlohmann::ordered_json ConditionJson(const char* type, const GangCondition& condition);

// "2026-03-01T12:00:00Z"
std::string TimeText(Time time);
// In words as kubectl uses them: "850ms", "42s", "3m20s", "5h10m", "3d4h".
std::string DurationText(Duration duration);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_GANG_OBJECT_H_

// The dialect of scheduler-plugins: pods name a PodGroup, and the PodGroup says how many of them
// must start together.
//
//   pod       label  scheduling.x-k8s.io/pod-group: NAME
//   PodGroup  scheduling.x-k8s.io/v1alpha1, NAME, in the pod's namespace
//             spec.minMember, spec.scheduleTimeoutSeconds; spec.minResources is not read, since
//             the members' own requests are
//
// Until early 2023 the group was scheduling.sigs.k8s.io, with two labels one after the other; each
// label names a PodGroup of its own group. Role, topology, duration and index are read from our own
// keys.
//
// Threads: pure functions. Errors: as in label.h; of an object they become its problems.
#ifndef PHALANX_WIRE_DIALECTS_POD_GROUP_H_
#define PHALANX_WIRE_DIALECTS_POD_GROUP_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "phalanx/objects.h"
#include "wire/dialects/label.h"

namespace phalanx::wire {

inline constexpr char kPodGroupLabel[] = "scheduling.x-k8s.io/pod-group";
inline constexpr char kOldPodGroupLabel[] = "scheduling.sigs.k8s.io/pod-group";
inline constexpr char kOldestPodGroupLabel[] = "pod-group.scheduling.sigs.k8s.io";
// `ObjectKey::kind` of the two groups, and `GangKey::source` of their gangs.
inline constexpr char kPodGroupKind[] = "PodGroup";
inline constexpr char kOldPodGroupKind[] = "PodGroup.scheduling.sigs.k8s.io";
inline constexpr char kPodGroupSource[] = "podgroup";
inline constexpr char kOldPodGroupSource[] = "podgroup-sigs";

// nullopt if no label of these is there. An empty one names no group: the pod is a gang of its own.
std::optional<Membership> ReadPodGroupDialect(const PodText& pod);

// Fills body and problems from the JSON of a PodGroup.
void ReadPodGroup(const nlohmann::json& json, ApiObject& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_POD_GROUP_H_

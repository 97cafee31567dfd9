// Objects that declare the levels of the topology, coarse to fine.
//
//   ClusterTopology  phalanx.dev/v1alpha1     spec.levels[] of {name, nodeLabel, part, crosses,
//                                             uplink}: all levels
//                                             spec.sharedResources[] (shared_resources.h)
//   Topology         kueue.x-k8s.io/v1beta1   spec.levels[] of {nodeLabel}: those of the fabric
//   Topology         kai.scheduler/v1alpha1   spec.levels[] of {nodeLabel, alias}: the same
//
// In this order they count. A level of Kueue or KAI is called by its alias, else as the level is
// called that the label is well known for, else by the last part of the label. The host is always
// the finest level, and may be named as the last one.
//
// Threads: pure functions. Errors: become problems of the object, which then has no levels.
#ifndef PHALANX_WIRE_DIALECTS_TOPOLOGY_H_
#define PHALANX_WIRE_DIALECTS_TOPOLOGY_H_

#include <nlohmann/json_fwd.hpp>

#include "phalanx/objects.h"

namespace phalanx::wire {

// `ObjectKey::kind` of each.
inline constexpr char kClusterTopologyKind[] = "ClusterTopology";
inline constexpr char kKueueTopologyKind[] = "Topology.kueue.x-k8s.io";
inline constexpr char kKaiTopologyKind[] = "Topology.kai.scheduler";

void ReadClusterTopology(const nlohmann::json& json, ApiObject& out);
void ReadKueueTopology(const nlohmann::json& json, ApiObject& out);
void ReadKaiTopology(const nlohmann::json& json, ApiObject& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_TOPOLOGY_H_

// What a pod takes of resources that all nodes share:
//
//   annotation  shared-resources: "scratch=500M,ansys=2"
//
// Each becomes a request of the pod (phalanx/shared_pool.h). Pods of any scheduler are read, since
// what they take is taken.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_DIALECTS_SHARED_RESOURCES_H_
#define PHALANX_WIRE_DIALECTS_SHARED_RESOURCES_H_

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr char kSharedResourcesAnnotation[] = "phalanx.dev/shared-resources";

// Adds to `requests`. What can not be read is a problem, and nothing of the annotation is added.
void ReadSharedRequests(const LabelMap& annotations, QuantityMap& requests,
                        std::vector<Problem>& problems);

// spec.sharedResources[] of {name, capacity} of a ClusterTopology, by name.
std::vector<SharedPool> ReadSharedPools(const nlohmann::json& json, std::vector<Problem>& problems);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_SHARED_RESOURCES_H_

// What the adapter would send about a pod, read by the product's own dialects.
#ifndef PHALANX_SIM_POD_OBJECT_H_
#define PHALANX_SIM_POD_OBJECT_H_

#include <string>
#include <vector>

#include "phalanx/objects.h"
#include "sim/api_server.h"

namespace phalanx::sim {

// `accelerators` as in EngineConfig.
PodObject ToPodObject(const ApiPod& pod, const std::vector<std::string>& accelerators);

// UID of the Job that owns the pods of a group "NS/NAME".
std::string JobUid(const std::string& group);

// Whether the adapter sends the pod at all: ours always, foreign ones while they take room.
// The object as the brain's own code reads it.
ApiObject ToApiObject(const ObjectKey& key, const StoredObject& object);

bool IsSent(const ApiPod& pod);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_POD_OBJECT_H_

// What a pod says about the devices that would do, which NVIDIA's GPU feature discovery tells by
// labels of the nodes:
//
//   annotation                   "80G"      nvidia.com/gpu.memory (MiB) not less
//   min-device-memory
//   min-compute-capability       "9.0"      nvidia.com/gpu.compute.major, .minor not less
//   min-driver                   "550.54"   nvidia.com/cuda.driver-version.major, .minor not less
//
// Each becomes a requirement of the pod's node affinity, of two labels in two terms:
//
//     major > 9                  or          major = 9 and minor > -1
//
// A node without the label does not match: nobody knows what it has. The scheduler's plugins know
// nothing of these, so they refuse no node that is planned.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_DIALECTS_DEVICE_RULES_H_
#define PHALANX_WIRE_DIALECTS_DEVICE_RULES_H_

#include <vector>

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr char kMinDeviceMemoryAnnotation[] = "phalanx.dev/min-device-memory";
inline constexpr char kMinCapabilityAnnotation[] = "phalanx.dev/min-compute-capability";
inline constexpr char kMinDriverAnnotation[] = "phalanx.dev/min-driver";

// Adds to each of `terms`, or makes terms where there are none.
void ReadDeviceRules(const LabelMap& annotations, std::vector<NodeSelectorTerm>& terms,
                     std::vector<Problem>& problems);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_DEVICE_RULES_H_

// The status of a ClusterTopology, as the API server takes it.
//
// deploy/helm/phalanx/files/crds/ declares the fields.
//
// Threads: pure functions. Text that is not UTF-8 is replaced, never thrown over.
#ifndef PHALANX_WIRE_TOPOLOGY_OBJECT_H_
#define PHALANX_WIRE_TOPOLOGY_OBJECT_H_

#include <string>

#include "phalanx/topology_report.h"

namespace phalanx::wire {

inline constexpr char kTopologyResource[] = "clustertopologies";

// A merge patch of the subresource status, for this object and none of its name made later.
std::string TopologyStatusPatch(const TopologyReport& report);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_TOPOLOGY_OBJECT_H_

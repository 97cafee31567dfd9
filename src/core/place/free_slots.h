// The free slots that a request may use.
#ifndef PHALANX_CORE_PLACE_FREE_SLOTS_H_
#define PHALANX_CORE_PLACE_FREE_SLOTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/host_table.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// What `shape` finds free now; 0 on hosts outside request.within, on hosts that are closed, and on
// hosts that are excluded for the shape. A copy of the cluster's own table: O(hosts).
SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape);
// The same on an empty, healthy cluster without other gangs.
SlotTree EverSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape);

// The hosts of request.within, clipped to the topology; all hosts as one range when it is not set.
std::vector<HostRange> HostsWithin(const Topology& topology, const PlacementRequest& request);

// The slots on these hosts, and on those of request.within; 0 elsewhere. O(hosts).
SlotTree OnlyOn(const Topology& topology, const SlotTree& slots, std::span<const HostRange> ranges);
SlotTree Within(const Topology& topology, const PlacementRequest& request, const SlotTree& slots);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_FREE_SLOTS_H_

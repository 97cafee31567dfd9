// From members per host to a Placement.
#ifndef PHALANX_CORE_PLACE_ASSEMBLE_H_
#define PHALANX_CORE_PLACE_ASSEMBLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/topology.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// `slots` in any order, at most one entry per host and shape.
Placement Assemble(const Topology& topology, const PlacementRequest& request,
                   std::vector<SlotsOnHost> slots, ProvenThrough proven);

// Touched domains per level, coarsest first, hosts last, of hosts in depth-first order without
// repetition. A host or domain that lacks a level counts there by itself.
std::vector<int32_t> TouchedPerLevel(const Topology& topology, std::span<const HostId> hosts);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_ASSEMBLE_H_

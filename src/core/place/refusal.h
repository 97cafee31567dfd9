// Why some number of equal members finds no place: the numbers of a Reason.
#ifndef PHALANX_CORE_PLACE_REFUSAL_H_
#define PHALANX_CORE_PLACE_REFUSAL_H_

#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/host_table.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"
#include "phalanx/verdict.h"

namespace phalanx {

// REQUIRES: the members do not fit, by capacity sums, or not in whole segments (`free` =
// FreeSlots). `required` is None where the request names no level. Reads the cluster's blame table
// and looks at no node: O(domains), and a count over hosts of one array.
Reason ExplainRefusal(const Cluster& cluster, const PlacementRequest& request,
                      const RoleRequest& role, LevelId required, const SlotTree& free);

// Causes why hosts of request.within take no member of `shape`, with counts; most nodes first, then
// by cause and detail.
std::vector<Exclusion> CountExclusions(const Cluster& cluster, const PlacementRequest& request,
                                       ShapeId shape, LevelId required);

Reason UnknownLevel(const std::string& level);

// As users know it.
std::string LevelName(const Topology& topology, LevelId level);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_REFUSAL_H_

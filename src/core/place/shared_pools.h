// Whether what nodes share (phalanx/shared_pool.h) suffices for a gang, wherever it goes.
#ifndef PHALANX_CORE_PLACE_SHARED_POOLS_H_
#define PHALANX_CORE_PLACE_SHARED_POOLS_H_

#include <optional>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"

namespace phalanx {

// The first shared resource by name of which too little is free for all members together; nullopt:
// there is enough of all. Proven: places do not matter. O(nodes) for each that is asked for.
std::optional<PlacementAnswer> SharedRefused(const Cluster& cluster,
                                             const PlacementRequest& request);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SHARED_POOLS_H_

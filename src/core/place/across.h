// Gangs that must, or would like to, lie in one domain of a level that crosses the tree.
//
// Each of its domains that has room is tried: the tree's own search, with only the hosts of that
// domain. The best of these placements wins, by the same terms. A preference is tried like a
// requirement before anything else, and dropped where no domain has room.
//
// Exact where the search inside is: the domains of a level hold different hosts, so what one of
// them offers is found in it or nowhere. When the budget ends first, `proven` says so.
#ifndef PHALANX_CORE_PLACE_ACROSS_H_
#define PHALANX_CORE_PLACE_ACROSS_H_

#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// The search in the tree alone. `required`: a level that does not cross it, or None.
PlacementAnswer PlaceInTree(const Cluster& cluster, const PlacementRequest& request,
                            LevelId required);

// Any levels, or None. O(domains that have room x cost of PlaceInTree), at most
// request.max_cells work units and one search.
PlacementAnswer PlaceAcross(const Cluster& cluster, const PlacementRequest& request,
                            LevelId required, LevelId preferred);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_ACROSS_H_

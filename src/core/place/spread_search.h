// Places equal members under a spread rule.
//
//   1. packed      the search of equal.h on slots that are cut to "at most". Where each unit has
//                  enough members it is the best of all placements, hence of those that keep the
//                  rule
//   2. at least    else a table of every number of members (dense_knapsack.h): exact as well
//   3. too large   for that table: the fewest units that hold all members, which get shares as
//                  equal as they can take; there always are some if anything keeps the rule
//   evenly         the lowest "at most" with which no more units are touched than by the packed
//                  placement, nor domains of coarser levels; then shares are levelled
//
// Whether anything keeps the rule is known before (MostInUnits()).
#ifndef PHALANX_CORE_PLACE_SPREAD_SEARCH_H_
#define PHALANX_CORE_PLACE_SPREAD_SEARCH_H_

#include <cstdint>
#include <optional>

#include "core/place/equal.h"
#include "core/place/placement.h"
#include "core/place/spread.h"
#include "core/place/tree_query.h"
#include "core/place/vertices.h"

namespace phalanx {

struct SpreadQuery {
  const Cluster& cluster;
  const PlacementRequest& request;
  RoleRequest role;
  SpreadRule rule;  // Any()
  const SlotTree& free;
  const TouchedBefore& touched;
};

struct SpreadAnswer {
  std::optional<EqualPlacement> placed;  // nullopt: nothing keeps the rule, which is proven
  int64_t cells = 0;
};

// All members in one domain of the scope. REQUIRES: role.count > 0.
SpreadAnswer SearchSpread(const SpreadQuery& query, const RequiredScope& scope);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SPREAD_SEARCH_H_

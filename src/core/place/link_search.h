// Links in the search: of placements that touch as little, the one that puts the least on uplinks
// above what they carry; within hard limits, at the price of touching more where it has to be.
//
//   1. the placement that is best without links adds nothing above any limit: it is the best
//   2. the tables of what touches as little, with links before fragmentation (not of segments)
//   3. where that would break a hard limit, and for segments: the tables of all placements
//
// Exact for equal members, with and without segments. Several roles, and members with a rule of
// spread, are placed without a look at links: where that adds nothing it is exact all the same,
// else the answer is proven through the counts, and where it breaks a hard limit it is refused,
// which proves nothing.
#ifndef PHALANX_CORE_PLACE_LINK_SEARCH_H_
#define PHALANX_CORE_PLACE_LINK_SEARCH_H_

#include <optional>
#include <span>

#include "core/place/equal.h"
#include "core/place/link_costs.h"
#include "core/place/placement.h"
#include "core/place/tree_query.h"
#include "core/place/vertex_costs.h"
#include "core/place/vertices.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct LinkQuestion {
  const Cluster& cluster;
  const PlacementRequest& request;
  const RoleRequest& role;
  const TreeQuery& query;
  const RequiredScope& scope;
  std::span<const Vertex> candidates;
  const VertexCosts* fragments;  // null: fragmentation does not count
};

// Puts the best placement by all terms in the place of `found`, the best without links. The reason
// why there is none; nullopt: there is one. REQUIRES: LinksCount().
std::optional<Reason> PlaceOnLinks(const LinkQuestion& question, EqualPlacement& found);

// Of a placement that may have been made without a look at links: lowers how far it is proven, or
// refuses it. REQUIRES: LinksCount().
void CheckLinks(const Cluster& cluster, const PlacementRequest& request, ShapeId about,
                PlacementAnswer& answer);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_LINK_SEARCH_H_

// Placement of members of several shapes.
//
// Where all roles but the largest have few members, exactly (small_roles.h). Else, with segments,
// or where that costs too much, one role after another on what the roles before it left: largest
// first, by the dominant share of one member, which is the largest fraction that it asks of any
// resource of the whole cluster. Inside a candidate domain each role is placed by the exact search
// for equal members; hosts and domains that an earlier role uses are free of charge to a later one.
// Candidates are the domains in which each role alone has room, finest level first; of the first
// level at which one works out, the one that touches least is taken, the first on a tie.
//
// What a role alone can not do anywhere is refused with a proof, and so is what the exact search
// finds impossible; else that the roles do not go together is not proven, since another order or
// split might do.
#ifndef PHALANX_CORE_PLACE_ROLES_H_
#define PHALANX_CORE_PLACE_ROLES_H_

#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// `roles` sorted by LargestFirst, at least two, counts above zero.
PlacementAnswer PlaceRoles(const Cluster& cluster, const PlacementRequest& request,
                           const std::vector<RoleRequest>& roles, LevelId required);

// Sorts by dominant share of one member, then by what the members ask for; ids decide nothing.
void SortLargestFirst(const Cluster& cluster, std::vector<RoleRequest>& roles);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_ROLES_H_

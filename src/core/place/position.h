// The last term of the objective between two placements that are there already.
#ifndef PHALANX_CORE_PLACE_POSITION_H_
#define PHALANX_CORE_PLACE_POSITION_H_

#include "core/cluster/topology.h"
#include "core/place/placement.h"

namespace phalanx {

// Whether `a` lies before `b`: at each domain, from the top, the first child that takes more
// members in one of them decides; more of the role with the most members, else of the others in
// order. REQUIRES: both place these roles. O(children of domains that either touches x roles x log
// slots).
bool LiesBefore(const Topology& topology, const std::vector<RoleRequest>& roles, const Placement& a,
                const Placement& b);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_POSITION_H_

// From a placement (so many members of a shape on a host) to members on hosts, and their ranks.
#ifndef PHALANX_CORE_PLAN_ASSIGN_H_
#define PHALANX_CORE_PLAN_ASSIGN_H_

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// Hosts of the members, in the order of `shapes` (one entry per member, in rank order): members of
// one shape take the hosts of that shape depth first, so neighbours in rank are neighbours in the
// tree. REQUIRES: per shape as many slots as members. O(members + slots).
std::vector<HostId> AssignHosts(std::span<const ShapeId> shapes, const Placement& placement);

// Ranks of members in rank order. An index that the author fixed is the rank where it is below
// `size`, not in `taken` and not claimed before; the others get the lowest ranks that are left.
// O((members + taken) log).
std::vector<int32_t> AssignRanks(std::span<const std::optional<int32_t>> indexes,
                                 std::set<int32_t> taken, int32_t size);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_ASSIGN_H_

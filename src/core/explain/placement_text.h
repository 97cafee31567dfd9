// By which rule the members of a gang are spread, in words.
#ifndef PHALANX_CORE_EXPLAIN_PLACEMENT_TEXT_H_
#define PHALANX_CORE_EXPLAIN_PLACEMENT_TEXT_H_

#include <span>
#include <string>

#include "core/cluster/topology.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"

namespace phalanx {

struct PlacedMember {
  const Membership* says = nullptr;
  NodeId node;
};

// "packed" where no rule says how many members a domain may have, else the rule and the members of
// each domain that has any, in the order of the fabric:
//
//     balanced (evenly over rack: 6 + 6)
//     spread (at most 2 in one rack: 2 + 2 + 1)
//     leader: packed; worker: spread (by anti-affinity over kubernetes.io/hostname: 1 + 1)
//
// Nodes that the topology does not have are left out. "" for nobody. O(members x levels).
std::string PlacementText(const Topology& topology, std::span<const PlacedMember> members);

}  // namespace phalanx

#endif  // PHALANX_CORE_EXPLAIN_PLACEMENT_TEXT_H_

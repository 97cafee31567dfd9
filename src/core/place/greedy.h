// A quick placement without a proof, for requests whose exact tables would be too large.
#ifndef PHALANX_CORE_PLACE_GREEDY_H_
#define PHALANX_CORE_PLACE_GREEDY_H_

#include <cstdint>
#include <vector>

#include "core/cluster/topology.h"
#include "core/place/slot_tree.h"
#include "phalanx/ids.h"

namespace phalanx {

// Adds `members` to `taken` (by host) below `domain`: at each domain the smallest child that takes
// all that is left, while there is none the largest child whole. REQUIRES: members <= slots below
// the domain. O(children x chosen children) per domain.
void PlaceGreedily(const Topology& topology, const SlotTree& slots, DomainId domain,
                   int32_t members, std::vector<int32_t>& taken);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_GREEDY_H_

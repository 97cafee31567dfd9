// A quick placement without a proof, for requests whose exact tables would be too large.
#ifndef PHALANX_CORE_PLACE_GREEDY_H_
#define PHALANX_CORE_PLACE_GREEDY_H_

#include <cstdint>
#include <vector>

#include "core/cluster/host_table.h"
#include "core/cluster/topology.h"
#include "core/place/host_group.h"
#include "phalanx/ids.h"

namespace phalanx {

// Appends `members` to `taken` below `domain`: at each domain the smallest child that takes all
// that is left, while there is none the largest child whole; so segments stay whole where the slots
// are those of segments.h. REQUIRES: members <= slots below the domain. O(children x chosen
// children) per domain.
void PlaceGreedily(const Topology& topology, const SlotTree& slots, DomainId domain,
                   int32_t members, std::vector<HostShare>& taken);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_GREEDY_H_

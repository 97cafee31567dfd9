// Placement of equal members: the exact search over one set of candidates.
#ifndef PHALANX_CORE_PLACE_EQUAL_H_
#define PHALANX_CORE_PLACE_EQUAL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/topology.h"
#include "core/place/knapsack.h"
#include "core/place/slot_tree.h"
#include "core/place/vertices.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct EqualPlacement {
  std::vector<int32_t> taken;  // members by host
  ProvenThrough proven = ProvenThrough::kAll;
  int64_t cells = 0;
};

// Places all `members` below one of `candidates`: vertices of one level, depth first, each with
// room for all of them. Takes the one with the least key, the first on a tie. Above `max_cells`
// predicted cells: greedily below the candidate with the fewest slots, proven through kFeasibility.
// REQUIRES: candidates is not empty, members > 0.
EqualPlacement PlaceEqual(const Topology& topology, const SlotTree& slots,
                          std::span<const Vertex> candidates, int32_t members, int64_t max_cells,
                          const TouchedBefore& touched = {});

// The vertices of the finest level at which one has room for all members; empty if none has.
// The best placement is below one of them: it touches one domain of that level and of each coarser
// one, and everything else touches two somewhere.
std::vector<Vertex> FinestCandidates(const Topology& topology, const SlotTree& slots,
                                     const RequiredScope& scope, int32_t members);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_EQUAL_H_

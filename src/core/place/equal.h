// Placement of equal members: the exact search over one set of candidates, in stages.
//
//   1. sums     at the coarsest level that counts, the largest domains that hold all members give
//               m*, the fewest domains, and the candidates that attain it
//   2. counts   the knapsack over domains alone gives m* of all levels, and again the candidates
//               that attain it; its tables have few steps
//   3. all      the knapsack with hosts, below those candidates only
//
// Each stage leaves out what the m* before it rules out (count_bound.h).
//
// Each knapsack has a budget of cells. Where the last does not end, the answer is that of the
// counts (proven through kCounts); where they do not, a greedy one (kFeasibility). Where no host
// takes two members the counts are all there is: there are as many hosts as members anyway.
#ifndef PHALANX_CORE_PLACE_EQUAL_H_
#define PHALANX_CORE_PLACE_EQUAL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/place/host_group.h"
#include "core/place/tree_query.h"
#include "core/place/vertices.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct EqualPlacement {
  std::vector<HostShare> taken;  // by host
  ProvenThrough proven = ProvenThrough::kAll;
  int64_t cells = 0;
};

// Places all members below one of `candidates`: vertices of one level, depth first, each with room
// for all of them. Takes the one with the least key, the first on a tie.
// REQUIRES: candidates is not empty, members > 0.
EqualPlacement PlaceEqual(const TreeQuery& query, std::span<const Vertex> candidates,
                          int64_t max_cells);

// The vertices of the finest level at which one has room for all members; empty if none has.
// The best placement is below one of them: it touches one domain of that level and of each coarser
// one, and everything else touches two somewhere.
std::vector<Vertex> FinestCandidates(const SlotTree& slots, const RequiredScope& scope,
                                     int32_t members);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_EQUAL_H_

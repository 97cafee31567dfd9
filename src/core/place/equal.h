// Placement of equal members: the exact search over one set of candidates, in stages.
//
//   1. sums     at the coarsest level that counts, the largest domains that hold all members give
//               m*, the fewest domains, and the candidates that attain it
//   2. counts   the knapsack over domains alone gives m* of all levels, and again the candidates
//               that attain it; its tables have few steps
//   3. all      the knapsack with hosts, below those candidates only
//   4. fragments  of the placements that touch as little, the one that adds the least to
//               fragmentation (fragment_knapsack.h), if it counts; not of segments
//
// Each stage leaves out what the m* before it rules out (count_bound.h).
//
// Each knapsack has a budget of cells, the last one a small part of it. Where 4 does not end, the
// answer is that of 3 (proven through kOverrun), where 3 does not, that of the counts (kCounts);
// where they do not, a greedy one (kFeasibility). Where no host takes two members the counts are
// all that 3 would say: there are as many hosts as members anyway.
#ifndef PHALANX_CORE_PLACE_EQUAL_H_
#define PHALANX_CORE_PLACE_EQUAL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/place/host_group.h"
#include "core/place/link_costs.h"
#include "core/place/tree_query.h"
#include "core/place/vertex_costs.h"
#include "core/place/vertices.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct EqualPlacement {
  std::vector<HostShare> taken;  // by host
  ProvenThrough proven = ProvenThrough::kAll;
  int64_t cells = 0;
};

// Places all members below one of `candidates`: vertices of one level, depth first, each with room
// for all of them. Takes the one with the least key, then with the least `costs` if there are any
// (they are those of the members' shape), the first on a tie. Where links count, `linked` stands
// for `costs`. REQUIRES: candidates is not empty, members > 0; no costs where members come in
// segments or something is touched already.
EqualPlacement PlaceEqual(const TreeQuery& query, std::span<const Vertex> candidates,
                          int64_t max_cells, const VertexCosts* costs = nullptr,
                          const LinkedCosts* linked = nullptr);

// The best placement that no hard limit forbids. Such a limit may leave no room below a vertex that
// has the slots, so all levels are looked at, finest first; and it may allow more members and not
// fewer, so the table has every number of them.
struct LimitedPlacement {
  std::optional<EqualPlacement> placed;
  bool finished = true;  // false: the budget was spent, and nothing is known
  int64_t cells = 0;
};
// In segments as the query says. REQUIRES: nothing is touched already.
LimitedPlacement PlaceWithinLimits(const TreeQuery& query, const RequiredScope& scope,
                                   int64_t max_cells, const LinkedCosts& costs);

// The vertices of the finest level at which one has room for all members; empty if none has.
// The best placement is below one of them: it touches one domain of that level and of each coarser
// one, and everything else touches two somewhere.
std::vector<Vertex> FinestCandidates(const SlotTree& slots, const RequiredScope& scope,
                                     int32_t members);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_EQUAL_H_

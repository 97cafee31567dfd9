// What a placement costs, term by term of docs/policies/placement.md: whoever made it.
//
// Counted from the hosts that it names and from the topology, not from what the search says of it.
#ifndef PHALANX_SIM_PLACE_COST_H_
#define PHALANX_SIM_PLACE_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/link_costs.h"
#include "core/place/placement.h"
#include "core/place/vertex_costs.h"

namespace phalanx::sim {

// Of one role that comes in segments; ranks follow the tree.
struct SegmentCost {
  int32_t segments = 0;
  int32_t cut = 0;       // term 2: not in one domain of their required level
  int32_t given_up = 0;  // term 3: levels from the preferred one on that cut a segment
  std::string whole_in;  // the first level that cuts none; empty: none
};

struct Cost {
  std::string domain;                 // term 1: path of the one domain of the required level
  int32_t domains = 0;                // how many the members are in; 0: no level is required
  std::vector<SegmentCost> segments;  // terms 2 and 3, by role that has segments
  std::vector<int32_t> touched;       // terms 4 and 5: by level, coarsest first, hosts last
  std::optional<LinkChange> links;    // term 6; nullopt: it does not count
  // Term 7; nullopt: it does not count. What is stranded is × the sum of the weights of gangs.
  std::optional<FragmentCost> fragments;
  int64_t gang_weight = 1;
  // Term 8: members per child of each domain, from the top down; more on an earlier one is better.
  std::vector<int32_t> position;
};

// `levels_of_hosts`, the names of Cost::touched: "zone", ..., "host".
std::vector<std::string> LevelNames(const Topology& topology);

// REQUIRES: a placement of the request's roles in this cluster.
Cost CostOf(const Cluster& cluster, const PlacementRequest& request, const Placement& placement);

// The first term by which two costs differ.
struct Difference {
  int term = 0;      // as numbered in the page
  std::string what;  // "leaf": what it counts
  int64_t a = 0;     // the term itself, smaller is better; of position: 0 and 1
  int64_t b = 0;
};
// nullopt: they cost the same in every term. `names` as LevelNames().
std::optional<Difference> FirstDifference(const Cost& a, const Cost& b,
                                          const std::vector<std::string>& names);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_COST_H_

// What the members of one gang send over the uplink of a domain, by how many of them are inside.
//
//     gang of 8, all-to-all 2 GB/s each, 4 in leaf a and 4 in leaf b:
//     uplink of a: each of the 4 inside sends 4/7 to the outside: 4 × 4 / 7 × 2 = 4.58 GB/s
//
// Formulas, and which of them are upper bounds: docs/policies/links.md.
#ifndef PHALANX_CORE_CLUSTER_TRAFFIC_H_
#define PHALANX_CORE_CLUSTER_TRAFFIC_H_

#include <cstdint>

#include "core/cluster/shapes.h"
#include "core/cluster/topology.h"
#include "phalanx/member_rules.h"

namespace phalanx {

class CrossingTraffic {
 public:
  CrossingTraffic(const Topology& topology, const Shape& shape);

  // MB/s in each direction over the uplink of a domain of `level` that holds `inside` of all
  // `members`; 0 where it holds none or all. REQUIRES: 0 <= inside <= members.
  int64_t Over(LevelId level, int32_t inside, int32_t members) const;

 private:
  // Members inside whose segment is cut by the uplink.
  int32_t Cut(LevelId level, int32_t inside, int32_t members) const;

  const Traffic traffic_;
  const int32_t segment_;
  // The level in one domain of which each segment must be; None: nothing is known.
  const LevelId whole_at_;
};

// Whether two shapes of one gang talk to each other.
bool SameTalk(const Shape& a, const Shape& b);

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_TRAFFIC_H_

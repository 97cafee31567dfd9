// What the members of one gang add to fragmentation, vertex by vertex; sums over vertices, and the
// last terms of the objective but the position.
//
//   hosts      Σ over hosts of Fragmentation::Cost()
//   stranded   Σ over domains and hosts with k > 0 members of weight × (stranded(s, free − k·g) −
//              stranded(s, free)), over the sizes s of gangs that wait and came lately, in devices;
//              stranded(s, f) = f mod s: what is left when gangs of s are cut from f
//
//     gangs of 8 devices, 4 are to be placed:   leaf with 16 free: 12 mod 8 - 16 mod 8 = +4
//                                               leaf with 12 free:  8 mod 8 - 12 mod 8 = -4
//
// `free` is what members of the gang's own shape can use, and g what each of them takes.
#ifndef PHALANX_CORE_PLACE_VERTEX_COSTS_H_
#define PHALANX_CORE_PLACE_VERTEX_COSTS_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/fragmentation.h"
#include "core/place/placement.h"
#include "core/place/vertices.h"
#include "phalanx/ids.h"

namespace phalanx {

struct FragmentCost {
  int64_t hosts = 0;
  int64_t stranded = 0;  // may be negative

  friend FragmentCost operator+(const FragmentCost& a, const FragmentCost& b) {
    return {a.hosts + b.hosts, a.stranded + b.stranded};
  }
  friend auto operator<=>(const FragmentCost&, const FragmentCost&) = default;
};

class VertexCosts {
 public:
  using Cost = FragmentCost;
  static constexpr bool kMayForbid = false;

  // Both outlive this, and are not asked for another shape meanwhile.
  VertexCosts(const Cluster& cluster, Fragmentation& fragmentation, ShapeId shape);

  // REQUIRES (of all): 0 < members <= slots of the vertex.
  FragmentCost OfHost(HostId host, int32_t members) const;
  FragmentCost OfDomain(DomainId domain, int32_t members) const;
  // Of a domain and all coarser ones, where all members lie below it. The root has the same cost
  // for all placements and is left out.
  FragmentCost Above(DomainId domain, int32_t members) const;

  // The one of the hosts that costs least when it takes all members, the first on a tie.
  // REQUIRES: `hosts` are hosts, not empty, in order.
  HostId CheapestHost(std::span<const Vertex> hosts, int32_t members) const;

 private:
  // Gangs of `devices`, where a member takes `each`.
  struct Size {
    int64_t each;
    int64_t devices;
    int64_t weight;
  };
  int64_t Stranded(int64_t slots, int32_t members) const;

  const Topology& topology_;
  const Fragmentation& fragmentation_;
  Fragmentation::Costs& costs_;
  const SlotTree& slots_;  // of the cluster, whatever hosts the request leaves out
  std::vector<Size> sizes_;
};

// What a placement of the request's members costs; nullopt where fragmentation does not count: no
// mix, unequal members, segments.
std::optional<FragmentCost> FragmentsOf(const Cluster& cluster, const PlacementRequest& request,
                                        const Placement& placement);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_VERTEX_COSTS_H_

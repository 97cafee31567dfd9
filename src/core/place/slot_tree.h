// Slots of one shape on every host, with their sums over ranges of hosts.
#ifndef PHALANX_CORE_PLACE_SLOT_TREE_H_
#define PHALANX_CORE_PLACE_SLOT_TREE_H_

#include <cstdint>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

class SlotTree {
 public:
  // By host, each not negative.
  explicit SlotTree(std::vector<int32_t> slots);

  int32_t At(HostId host) const { return slots_[host.index()]; }
  int64_t Sum(HostId first, uint32_t count) const {
    return sums_[first.index() + count] - sums_[first.index()];
  }
  int64_t Sum(const Topology::Domain& domain) const {
    return Sum(domain.first_host, domain.host_count);
  }
  int64_t Total() const { return sums_.back(); }
  size_t hosts() const { return slots_.size(); }

 private:
  std::vector<int32_t> slots_;
  std::vector<int64_t> sums_;  // [i] = slots of the hosts before i
};

// What `shape` finds free now, at most `limit` per host; 0 on hosts outside request.within and on
// hosts that are excluded for the shape. O(hosts).
SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                   int32_t limit);
// The same on empty, healthy hosts, whatever was excluded: what could ever be.
SlotTree SlotsEver(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                   int32_t limit);

// Hosts first .. end of request.within, clipped to the topology; all hosts when it is not set.
struct HostSpan {
  uint32_t first = 0;
  uint32_t end = 0;
};
HostSpan HostsWithin(const Topology& topology, const PlacementRequest& request);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SLOT_TREE_H_

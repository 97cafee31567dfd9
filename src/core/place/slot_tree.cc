#include "core/place/slot_tree.h"

#include <algorithm>
#include <utility>

namespace phalanx {

SlotTree::SlotTree(std::vector<int32_t> slots) : slots_(std::move(slots)) {
  sums_.reserve(slots_.size() + 1);
  sums_.push_back(0);
  for (const int32_t slots_here : slots_) sums_.push_back(sums_.back() + slots_here);
}

HostSpan HostsWithin(const Topology& topology, const PlacementRequest& request) {
  const auto hosts = static_cast<uint32_t>(topology.hosts().size());
  if (request.within.count == 0) return {0, hosts};
  const uint32_t first = std::min(request.within.first.value(), hosts);
  return {first, first + std::min(request.within.count, hosts - first)};
}

SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                   int32_t limit) {
  const Topology& topology = cluster.topology();
  std::vector<int32_t> slots(topology.hosts().size(), 0);
  const HostSpan span = HostsWithin(topology, request);
  for (uint32_t i = span.first; i < span.end; ++i) {
    const int64_t free = cluster.Slots(topology.hosts()[i].node, shape);
    slots[i] = static_cast<int32_t>(std::min<int64_t>(free, limit));
  }
  for (const HostExclusion& exclusion : request.exclusions) {
    const HostId host = topology.HostOf(exclusion.node);
    if (exclusion.shape == shape && host.valid()) slots[host.index()] = 0;
  }
  return SlotTree(std::move(slots));
}

SlotTree SlotsEver(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                   int32_t limit) {
  const Topology& topology = cluster.topology();
  std::vector<int32_t> slots(topology.hosts().size(), 0);
  const HostSpan span = HostsWithin(topology, request);
  for (uint32_t i = span.first; i < span.end; ++i) {
    const int64_t ever = cluster.SlotsWhenEmpty(topology.hosts()[i].node, shape);
    slots[i] = static_cast<int32_t>(std::min<int64_t>(ever, limit));
  }
  return SlotTree(std::move(slots));
}

}  // namespace phalanx

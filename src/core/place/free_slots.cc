#include "core/place/free_slots.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace phalanx {

HostSpan HostsWithin(const Topology& topology, const PlacementRequest& request) {
  const auto hosts = static_cast<uint32_t>(topology.hosts().size());
  if (request.within.count == 0) return {0, hosts};
  const uint32_t first = std::min(request.within.first.value(), hosts);
  return {first, first + std::min(request.within.count, hosts - first)};
}

SlotTree OnlyOn(const Topology& topology, const SlotTree& slots,
                std::span<const HostRange> ranges) {
  std::vector<int32_t> kept(slots.hosts(), 0);
  for (const HostRange& range : ranges) {
    const auto first = static_cast<ptrdiff_t>(range.first.index());
    std::copy_n(slots.values().begin() + first, range.count, kept.begin() + first);
  }
  return SlotTree(topology, std::move(kept));
}

SlotTree Within(const Topology& topology, const PlacementRequest& request, const SlotTree& slots) {
  if (request.within.count == 0) return slots;
  const HostSpan span = HostsWithin(topology, request);
  const HostRange range{HostId(span.first), span.end - span.first};
  return OnlyOn(topology, slots, {&range, 1});
}

SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape) {
  const Topology& topology = cluster.topology();
  SlotTree slots = Within(topology, request, cluster.SlotsOf(shape));
  for (const HostExclusion& exclusion : request.exclusions) {
    const HostId host = topology.HostOf(exclusion.node);
    if (exclusion.shape == shape && host.valid()) slots.Set(topology, host, 0);
  }
  return slots;
}

}  // namespace phalanx

#include "core/place/free_slots.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace phalanx {
namespace {

SlotTree Only(const Topology& topology, const SlotTree& slots, const HostSpan& span) {
  std::vector<int32_t> inside(slots.hosts(), 0);
  std::copy(slots.values().begin() + span.first, slots.values().begin() + span.end,
            inside.begin() + span.first);
  return SlotTree(topology, std::move(inside));
}

}  // namespace

HostSpan HostsWithin(const Topology& topology, const PlacementRequest& request) {
  const auto hosts = static_cast<uint32_t>(topology.hosts().size());
  if (request.within.count == 0) return {0, hosts};
  const uint32_t first = std::min(request.within.first.value(), hosts);
  return {first, first + std::min(request.within.count, hosts - first)};
}

SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape) {
  const Topology& topology = cluster.topology();
  const SlotTree& now = cluster.SlotsOf(shape);
  SlotTree slots =
      request.within.count == 0 ? now : Only(topology, now, HostsWithin(topology, request));
  for (const HostExclusion& exclusion : request.exclusions) {
    const HostId host = topology.HostOf(exclusion.node);
    if (exclusion.shape == shape && host.valid()) slots.Set(topology, host, 0);
  }
  return slots;
}

}  // namespace phalanx

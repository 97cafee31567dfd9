#include "core/place/free_slots.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace phalanx {

std::vector<HostRange> HostsWithin(const Topology& topology, const PlacementRequest& request) {
  const auto hosts = static_cast<uint32_t>(topology.hosts().size());
  if (request.within.empty()) return {{HostId(0), hosts}};
  std::vector<HostRange> out = request.within;
  for (HostRange& range : out) {
    range.first = HostId(std::min(range.first.value(), hosts));
    range.count = std::min(range.count, hosts - range.first.value());
  }
  return out;
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
  if (request.within.empty()) return slots;
  return OnlyOn(topology, slots, HostsWithin(topology, request));
}

SlotTree Without(const Topology& topology, const SlotTree& slots,
                 std::span<const ClosedHosts> closed, bool lacking_only) {
  std::vector<int32_t> kept = slots.values();
  for (const ClosedHosts& out : closed) {
    if (lacking_only && !out.lacking) continue;
    std::fill_n(kept.begin() + static_cast<ptrdiff_t>(out.hosts.first.index()), out.hosts.count, 0);
  }
  return SlotTree(topology, std::move(kept));
}

SlotTree EverSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape) {
  const Topology& topology = cluster.topology();
  SlotTree slots = Within(topology, request, cluster.BlameOf(shape).ever);
  if (request.closed.empty()) return slots;
  return Without(topology, slots, request.closed, /*lacking_only=*/true);
}

SlotTree FreeSlots(const Cluster& cluster, const PlacementRequest& request, ShapeId shape) {
  const Topology& topology = cluster.topology();
  SlotTree slots = Within(topology, request, cluster.SlotsOf(shape));
  if (!request.closed.empty()) {
    slots = Without(topology, slots, request.closed, /*lacking_only=*/false);
  }
  for (const HostExclusion& exclusion : request.exclusions) {
    const HostId host = topology.HostOf(exclusion.node);
    if (exclusion.shape == shape && host.valid()) slots.Set(topology, host, 0);
  }
  return slots;
}

}  // namespace phalanx

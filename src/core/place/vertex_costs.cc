#include "core/place/vertex_costs.h"

#include <map>

#include "core/place/segments.h"

namespace phalanx {

VertexCosts::VertexCosts(const Cluster& cluster, Fragmentation& fragmentation, ShapeId shape)
    : topology_(cluster.topology()),
      fragmentation_(fragmentation),
      costs_(fragmentation.CostsOf(cluster, shape)),
      slots_(cluster.SlotsOf(shape)) {
  const Resources& request = cluster.shapes().Get(shape).request;
  for (const GangSize& gang : fragmentation.mix().gangs) {
    const int64_t each = request.Get(gang.device);
    if (each > 0) sizes_.push_back({each, gang.devices, gang.weight});
  }
}

int64_t VertexCosts::Stranded(int64_t slots, int32_t members) const {
  int64_t sum = 0;
  for (const Size& size : sizes_) {
    const int64_t before = slots * size.each % size.devices;
    const int64_t after = (slots - members) * size.each % size.devices;
    sum += size.weight * (after - before);
  }
  return sum;
}

FragmentCost VertexCosts::OfHost(HostId host, int32_t members) const {
  return {fragmentation_.Cost(costs_, host, members), Stranded(slots_.At(host), members)};
}

FragmentCost VertexCosts::OfDomain(DomainId domain, int32_t members) const {
  return {0, Stranded(slots_.Sum(domain), members)};
}

FragmentCost VertexCosts::Above(DomainId domain, int32_t members) const {
  FragmentCost sum;
  for (; domain.valid() && domain != topology_.root(); domain = topology_.domain(domain).parent) {
    sum = sum + OfDomain(domain, members);
  }
  return sum;
}

HostId VertexCosts::CheapestHost(std::span<const Vertex> hosts, int32_t members) const {
  HostId best;
  FragmentCost least;
  DomainId parent;  // of the host before, and what it and coarser ones cost
  FragmentCost above;
  for (const Vertex& vertex : hosts) {
    const HostId host = vertex.host;
    // Most hosts are out by the first sum.
    const int64_t first = fragmentation_.Cost(costs_, host, members);
    if (best.valid() && first > least.hosts) continue;
    if (topology_.host(host).parent != parent) {
      parent = topology_.host(host).parent;
      above = Above(parent, members);
    }
    const FragmentCost cost = FragmentCost{first, Stranded(slots_.At(host), members)} + above;
    if (best.valid() && cost >= least) continue;
    least = cost;
    best = host;
  }
  return best;
}

std::optional<FragmentCost> FragmentsOf(const Cluster& cluster, const PlacementRequest& request,
                                        const Placement& placement) {
  if (request.fragmentation == nullptr || request.roles.size() != 1) return std::nullopt;
  const ShapeId shape = request.roles.front().shape;
  if (RuleOf(cluster, request, shape).Whole()) return std::nullopt;
  const Topology& topology = cluster.topology();
  request.fragmentation->Follow(cluster);
  const VertexCosts costs(cluster, *request.fragmentation, shape);
  FragmentCost sum;
  std::map<DomainId, int32_t> members;
  for (const SlotsOnHost& slot : placement.slots) {
    sum = sum + costs.OfHost(slot.host, slot.count);
    for (DomainId id = topology.host(slot.host).parent; id != topology.root();
         id = topology.domain(id).parent) {
      members[id] += slot.count;
    }
  }
  for (const auto& [domain, count] : members) sum = sum + costs.OfDomain(domain, count);
  return sum;
}

}  // namespace phalanx

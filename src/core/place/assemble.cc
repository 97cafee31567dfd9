#include "core/place/assemble.h"

#include <set>

namespace phalanx {
namespace {

// Counts a vertex of `level` below `parent` at its level and at each level that it skips.
void Count(const Topology& topology, DomainId parent, size_t level, std::vector<int32_t>& touched) {
  const LevelId above = topology.domain(parent).level;
  for (size_t i = above.valid() ? above.index() + 1 : 0; i <= level; ++i) ++touched[i];
}

}  // namespace

std::vector<int32_t> TouchedPerLevel(const Topology& topology, std::span<const HostId> hosts) {
  std::vector<int32_t> touched(topology.levels().size() + 1, 0);
  std::set<DomainId> seen;
  for (const HostId host : hosts) {
    DomainId id = topology.host(host).parent;
    Count(topology, id, topology.host_level().index(), touched);
    for (; id != topology.root() && seen.insert(id).second; id = topology.domain(id).parent) {
      Count(topology, topology.domain(id).parent, topology.domain(id).level.index(), touched);
    }
  }
  return touched;
}

Placement Assemble(const Topology& topology, const PlacementRequest& request,
                   const TakenByShape& taken, ProvenThrough proven) {
  Placement placement;
  placement.proven = proven;
  std::vector<HostId> hosts;
  for (uint32_t i = 0; i < topology.hosts().size(); ++i) {
    const size_t before = placement.slots.size();
    std::set<ShapeId> done;  // a shape may be named by two roles of the request
    for (const RoleRequest& role : request.roles) {
      const auto it = taken.find(role.shape);
      if (it == taken.end() || it->second[i] == 0 || !done.insert(role.shape).second) continue;
      placement.slots.push_back({HostId(i), role.shape, it->second[i]});
    }
    if (placement.slots.size() > before) hosts.push_back(HostId(i));
  }
  placement.common = topology.CommonDomain(hosts);
  placement.touched = TouchedPerLevel(topology, hosts);
  return placement;
}

}  // namespace phalanx

#include "core/place/assemble.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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
                   std::vector<SlotsOnHost> slots, ProvenThrough proven) {
  // A shape may be named by two roles of the request: the first one counts.
  std::map<ShapeId, size_t> role_of;
  for (size_t i = 0; i < request.roles.size(); ++i) role_of.emplace(request.roles[i].shape, i);
  std::sort(slots.begin(), slots.end(), [&](const SlotsOnHost& a, const SlotsOnHost& b) {
    if (a.host != b.host) return a.host < b.host;
    return role_of.at(a.shape) < role_of.at(b.shape);
  });
  Placement placement;
  placement.proven = proven;
  placement.slots = std::move(slots);
  std::vector<HostId> hosts;
  for (const SlotsOnHost& slot : placement.slots) {
    if (hosts.empty() || hosts.back() != slot.host) hosts.push_back(slot.host);
  }
  placement.common = topology.CommonDomain(hosts);
  placement.touched = TouchedPerLevel(topology, hosts);
  return placement;
}

}  // namespace phalanx

#include <algorithm>
#include <utility>
#include <vector>

#include "core/place/assemble.h"
#include "sim/baseline/baseline.h"
#include "sim/baseline/residual.h"

namespace phalanx::sim {
namespace {

using Hosts = std::vector<HostId>;

// The hosts of each domain of the required level, depth first; of the cluster where none is.
std::vector<Hosts> Scopes(const Topology& topology, LevelId required) {
  std::vector<Hosts> scopes;
  const auto add = [&scopes](uint32_t first, size_t count) {
    Hosts& hosts = scopes.emplace_back();
    for (uint32_t i = 0; i < count; ++i) hosts.push_back(HostId(first + i));
  };
  if (!required.valid()) {
    add(0, topology.hosts().size());
  } else if (required == topology.host_level()) {
    for (uint32_t i = 0; i < topology.hosts().size(); ++i) add(i, 1);
  } else {
    for (const DomainId id : topology.DomainsAt(required)) {
      add(topology.domain(id).first_host.value(), topology.domain(id).host_count);
    }
  }
  return scopes;
}

// False if a member finds no host. A host that refuses one member refuses all later ones of its
// role, so that each host is looked at once per role.
bool Fill(const Hosts& by_name, const PlacementRequest& request, Residual& residual) {
  for (const RoleRequest& role : request.roles) {
    const SlotTree slots = residual.Slots(role.shape);
    int32_t left = role.count;
    for (auto host = by_name.begin(); left > 0 && host != by_name.end(); ++host) {
      const int32_t here = std::min(left, slots.At(*host));
      if (here == 0) continue;
      residual.Take(*host, role.shape, here);
      left -= here;
    }
    if (left > 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Placement> FirstFit(const Cluster& cluster, const PlacementRequest& request,
                                  LevelId required) {
  const Topology& topology = cluster.topology();
  for (Hosts& hosts : Scopes(topology, required)) {
    std::sort(hosts.begin(), hosts.end(), [&topology](HostId a, HostId b) {
      return topology.host(a).name < topology.host(b).name;
    });
    Residual residual(cluster, request);
    if (!Fill(hosts, request, residual)) continue;
    return Assemble(topology, request, residual.Finish(), ProvenThrough::kFeasibility);
  }
  return std::nullopt;
}

}  // namespace phalanx::sim

#include "core/cluster/topology.h"

#include <algorithm>

#include "core/base/check.h"

namespace phalanx {

LevelId Topology::FindLevel(std::string_view name_or_key) const {
  if (name_or_key == "host" || name_or_key == "kubernetes.io/hostname") return host_level();
  for (size_t i = levels_.size(); i-- > 0;) {
    if (levels_[i].name == name_or_key || levels_[i].label_key == name_or_key) {
      return LevelId(static_cast<uint32_t>(i));
    }
  }
  return LevelId::None();
}

bool Topology::HasUplinks() const {
  return std::ranges::any_of(levels_, [](const Level& level) { return level.uplink.mbps > 0; });
}

DomainId Topology::DomainAt(HostId host, LevelId level) const {
  for (DomainId id = hosts_[host.index()].parent; id.valid() && id != root();
       id = domains_[id.index()].parent) {
    if (domains_[id.index()].level == level) return id;
  }
  return DomainId::None();
}

const Crossing* Topology::CrossingOf(LevelId level) const {
  const auto found = std::ranges::find(crossings_, level, &Crossing::level);
  return found == crossings_.end() ? nullptr : &*found;
}

HostId Topology::HostOf(NodeId node) const {
  return node.valid() && node.index() < host_of_node_.size() ? host_of_node_[node.index()]
                                                             : HostId::None();
}

std::string Topology::Path(DomainId id) const {
  if (!id.valid() || id == root()) return "";
  const std::string parent = Path(domain(id).parent);
  return parent.empty() ? domain(id).name : parent + "/" + domain(id).name;
}

DomainId Topology::CommonDomain(std::span<const HostId> hosts) const {
  if (hosts.empty()) return root();
  const auto [first, last] = std::minmax_element(hosts.begin(), hosts.end());
  DomainId id = host(*first).parent;
  // A domain is a range of hosts, so whatever holds the first and the last holds all.
  while (last->value() >= domain(id).first_host.value() + domain(id).host_count) {
    PHALANX_CHECK(id != root(), "host {} of {}", last->value(), hosts_.size());
    id = domain(id).parent;
  }
  return id;
}

}  // namespace phalanx

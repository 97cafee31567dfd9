#include "core/place/vertices.h"

#include <algorithm>

namespace phalanx {

std::string Vertex::Path(const Topology& topology) const {
  if (!host.valid()) return domain.valid() ? topology.Path(domain) : "";
  const std::string parent = topology.Path(topology.host(host).parent);
  return parent.empty() ? topology.host(host).name : parent + "/" + topology.host(host).name;
}

std::vector<LevelId> RequiredScope::FinestFirst() const {
  std::vector<LevelId> out;
  const uint32_t last = required_.valid() ? required_.value() : 0;
  for (uint32_t level = topology_.host_level().value() + 1; level-- > last;) {
    out.push_back(LevelId(level));
  }
  if (!required_.valid()) out.push_back(LevelId::None());
  return out;
}

std::vector<Vertex> RequiredScope::At(LevelId level, const SlotTree& tree, int64_t slots) const {
  std::vector<Vertex> out;
  if (!level.valid()) {
    if (tree.Sum() >= slots) out.push_back({topology_.root(), HostId::None()});
  } else if (level == topology_.host_level()) {
    for (const HostRange& range : Hosts()) {
      for (uint32_t i = range.first.value(); i < range.first.value() + range.count; ++i) {
        if (tree.At(HostId(i)) >= slots) out.push_back({DomainId::None(), HostId(i)});
      }
    }
  } else {
    for (const DomainId id : topology_.DomainsAt(level)) {
      if (tree.Sum(id) >= slots && Holds(id)) out.push_back({id, HostId::None()});
    }
  }
  return out;
}

Vertex RequiredScope::Best(const SlotTree& tree) const {
  Vertex best;
  int64_t most = 0;
  if (required_ == topology_.host_level()) {
    const auto& hosts = tree.values();
    const auto found = std::max_element(hosts.begin(), hosts.end());
    if (found == hosts.end() || *found == 0) return best;
    return {DomainId::None(), HostId(static_cast<uint32_t>(found - hosts.begin()))};
  }
  for (const Vertex& domain : Domains(tree, 1)) {
    if (domain.Slots(tree) <= most) continue;
    most = domain.Slots(tree);
    best = domain;
  }
  return best;
}

std::vector<HostRange> RequiredScope::Hosts() const {
  if (AllHosts()) return {{HostId(0), static_cast<uint32_t>(topology_.hosts().size())}};
  std::vector<HostRange> out;
  for (const DomainId id : topology_.DomainsAt(required_)) {
    out.push_back({topology_.domain(id).first_host, topology_.domain(id).host_count});
  }
  return out;
}

bool RequiredScope::Holds(DomainId domain) const {
  if (!required_.valid()) return true;
  while (domain != topology_.root() && topology_.domain(domain).level != required_) {
    domain = topology_.domain(domain).parent;
  }
  return domain != topology_.root();
}

}  // namespace phalanx

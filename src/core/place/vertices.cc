#include "core/place/vertices.h"

namespace phalanx {

std::string Vertex::Path(const Topology& topology) const {
  if (!host.valid()) return topology.Path(domain);
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

std::vector<Vertex> RequiredScope::At(LevelId level) const {
  std::vector<Vertex> out;
  if (!level.valid()) {
    out.push_back({topology_.root(), HostId::None()});
  } else if (level == topology_.host_level()) {
    for (uint32_t i = 0; i < topology_.hosts().size(); ++i) {
      if (Holds(HostId(i))) out.push_back({DomainId::None(), HostId(i)});
    }
  } else {
    for (const DomainId id : topology_.DomainsAt(level)) {
      if (Holds(id)) out.push_back({id, HostId::None()});
    }
  }
  return out;
}

bool RequiredScope::Holds(HostId host) const {
  if (!required_.valid() || required_ == topology_.host_level()) return true;
  return topology_.DomainAt(host, required_).valid();
}

bool RequiredScope::Holds(DomainId domain) const {
  if (!required_.valid()) return true;
  while (domain != topology_.root() && topology_.domain(domain).level != required_) {
    domain = topology_.domain(domain).parent;
  }
  return domain != topology_.root();
}

}  // namespace phalanx

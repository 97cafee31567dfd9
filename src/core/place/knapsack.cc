#include "core/place/knapsack.h"

namespace phalanx {

uint32_t SubtreeEnd(const Topology& topology, DomainId root) {
  const Topology::Domain& domain = topology.domain(root);
  const uint32_t last_host = domain.first_host.value() + domain.host_count;
  uint32_t end = root.value() + 1;
  while (end < topology.domains().size() &&
         topology.domains()[end].first_host.value() < last_host) {
    ++end;
  }
  return end;
}

std::vector<HostSlots> DirectHosts(const Topology& topology, const SlotTree& slots, DomainId id) {
  const Topology::Domain& domain = topology.domain(id);
  uint32_t host = domain.first_host.value();
  if (!domain.children.empty()) {
    const Topology::Domain& last = topology.domain(domain.children.back());
    host = last.first_host.value() + last.host_count;
  }
  std::vector<HostSlots> out;
  for (; host < domain.first_host.value() + domain.host_count; ++host) {
    const int32_t here = slots.At(HostId(host));
    if (here > 0) out.push_back({HostId(host), here});
  }
  return out;
}

int64_t PredictCells(const Topology& topology, const SlotTree& slots, DomainId root,
                     int32_t members) {
  int64_t cells = 0;
  for (uint32_t id = root.value(); id < SubtreeEnd(topology, root); ++id) {
    const Topology::Domain& domain = topology.domains()[id];
    int64_t below = 0;
    for (const DomainId child : domain.children) below += slots.Sum(topology.domain(child));
    int64_t rest = std::min<int64_t>(slots.Sum(domain) - below, members);
    cells += rest + 1;
    for (size_t i = domain.children.size(); i-- > 0;) {
      const int64_t part =
          std::min<int64_t>(slots.Sum(topology.domain(domain.children[i])), members);
      if (part == 0) continue;
      cells += (part + 1) * (rest + 1);
      rest = std::min<int64_t>(rest + part, members);
    }
  }
  return cells;
}

}  // namespace phalanx

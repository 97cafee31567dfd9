#include "core/place/tree_query.h"

#include <algorithm>
#include <functional>

namespace phalanx {

uint32_t SubtreeEnd(const Topology& topology, DomainId root) {
  const Topology::Domain& domain = topology.domain(root);
  const uint32_t last_host = domain.first_host.value() + domain.host_count;
  const auto end = std::partition_point(
      topology.domains().begin() + root.value() + 1, topology.domains().end(),
      [&](const Topology::Domain& later) { return later.first_host.value() < last_host; });
  return static_cast<uint32_t>(end - topology.domains().begin());
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

Census::Census(const TreeQuery& query, DomainId root)
    : members_(query.members),
      touched_before_(query.touched.Any()),
      slots_(query.topology.levels().size() + 1) {
  const Topology& topology = query.topology;
  const uint32_t end = SubtreeEnd(topology, root);
  for (uint32_t i = root.value(); i < end; ++i) {
    const DomainId id(i);
    if (query.slots.Sum(id) == 0) continue;
    if (id != root) {
      Add(query.LevelOf(topology.domain(id).parent), topology.domain(id).level.index(),
          query.slots.Sum(id));
    }
    for (const HostSlots& host : DirectHosts(topology, query.slots, id)) {
      Add(query.LevelOf(id), topology.levels().size(), host.slots);
      one_per_host_ &= host.slots == 1;
    }
  }
}

void Census::Add(int parent_level, size_t level, int64_t slots) {
  for (size_t i = static_cast<size_t>(parent_level) + 1; i <= level; ++i) {
    slots_[i].push_back(slots);
  }
}

std::vector<int64_t> Census::Most(bool with_hosts) const {
  std::vector<int64_t> most(slots_.size(), 0);
  // Whatever counts at a level has something below it that counts at the next one, so equal numbers
  // mean one for each, and equal counts in every placement; but for what is free of charge.
  int64_t coarser = 1;
  for (size_t level = 0; level < slots_.size(); ++level) {
    const auto here = std::ssize(slots_[level]);
    if (here == 0) continue;
    if (here > coarser || touched_before_) most[level] = std::min<int64_t>(here, members_);
    coarser = here;
  }
  if (!with_hosts) most.back() = 0;
  return most;
}

int64_t Census::Fewest(size_t level) const {
  std::vector<int64_t> slots = slots_[level];
  std::sort(slots.begin(), slots.end(), std::greater<>());
  int64_t left = members_;
  size_t used = 0;
  for (; used < slots.size() && left > 0; ++used) left -= slots[used];
  return static_cast<int64_t>(used);
}

}  // namespace phalanx

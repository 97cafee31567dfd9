#include "core/cluster/host_range.h"

#include <algorithm>
#include <iterator>

namespace phalanx {

std::vector<HostRange> Intersect(std::span<const HostRange> a, std::span<const HostRange> b) {
  std::vector<HostRange> out;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const uint32_t first = std::max(i->first.value(), j->first.value());
    const uint32_t end = std::min(i->end(), j->end());
    if (first < end) out.push_back({HostId(first), end - first});
    if (i->end() < j->end()) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

bool Holds(std::span<const HostRange> ranges, HostId host) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), host,
                       [](HostId id, const HostRange& range) { return id < range.first; });
  return after != ranges.begin() && host.value() < std::prev(after)->end();
}

}  // namespace phalanx

// Ranges of hosts in the depth-first order of the topology.
#ifndef PHALANX_CORE_CLUSTER_HOST_RANGE_H_
#define PHALANX_CORE_CLUSTER_HOST_RANGE_H_

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "phalanx/ids.h"

namespace phalanx {

// Hosts first .. first + count - 1: a domain, one host, a part of a domain that crosses the tree.
struct HostRange {
  HostId first;
  uint32_t count = 0;

  uint32_t end() const { return first.value() + count; }

  friend auto operator<=>(const HostRange&, const HostRange&) = default;
};

// The hosts that are in both. REQUIRES: ascending and apart, as the result is.
std::vector<HostRange> Intersect(std::span<const HostRange> a, std::span<const HostRange> b);
// O(log ranges).
bool Holds(std::span<const HostRange> ranges, HostId host);

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_HOST_RANGE_H_

// The hosts directly below one domain, as one child of it.
//
// Their parent is the same, so using one host costs the same as using another, and k members cost
// as many hosts as are needed when the largest are filled first: a closed form, without a table per
// host.
#ifndef PHALANX_CORE_PLACE_HOST_GROUP_H_
#define PHALANX_CORE_PLACE_HOST_GROUP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "phalanx/ids.h"

namespace phalanx {

struct HostSlots {
  HostId host;
  int32_t slots = 0;  // > 0
};

// [k] = fewest hosts that hold k members, for k = 0 .. min(sum of slots, limit).
std::vector<int32_t> FewestHosts(std::span<const HostSlots> hosts, int32_t limit);

// Writes how many of `members` each host takes when as few hosts as possible are used; of all such
// ways the one where the first host takes the most, then the second, and so on.
// REQUIRES: members <= sum of slots; `taken` is indexed by host.
// Complexity: O(hosts x distinct slot counts).
void SpreadOverHosts(std::span<const HostSlots> hosts, int32_t members,
                     std::vector<int32_t>& taken);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_HOST_GROUP_H_

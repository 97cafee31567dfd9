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

// Members on a host.
struct HostShare {
  HostId host;
  int32_t members = 0;  // > 0

  friend auto operator<=>(const HostShare&, const HostShare&) = default;
};

// [n] = most members that n hosts hold, for n = 0 .. until `limit` is reached or hosts run out.
std::vector<int32_t> MostMembers(std::span<const HostSlots> hosts, int32_t limit);

// Appends how many of `members` each host takes when as few hosts as possible are used; of all such
// ways the one where the first host takes the most, then the second, and so on.
// REQUIRES: members <= sum of slots.
// Complexity: O(hosts x distinct slot counts).
void SpreadOverHosts(std::span<const HostSlots> hosts, int32_t members,
                     std::vector<HostShare>& taken);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_HOST_GROUP_H_

#include "core/place/host_group.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/check.h"

namespace phalanx {
namespace {

// How many hosts there are of each slot count, largest first.
using Histogram = std::map<int32_t, int32_t, std::greater<>>;

// The most members that `hosts` hosts of the histogram can take.
int64_t LargestSum(const Histogram& histogram, int32_t hosts) {
  int64_t sum = 0;
  for (const auto& [slots, count] : histogram) {
    const int32_t used = std::min(count, hosts);
    sum += int64_t{used} * slots;
    hosts -= used;
    if (hosts == 0) break;
  }
  return sum;
}

int32_t HostsNeeded(const Histogram& histogram, int32_t members) {
  int32_t hosts = 0;
  for (const auto& [slots, count] : histogram) {
    if (members <= 0) break;
    const int32_t used = std::min(count, (members + slots - 1) / slots);
    members -= used * slots;
    hosts += used;
  }
  PHALANX_CHECK(members <= 0, "{} members too many", members);
  return hosts;
}

}  // namespace

std::vector<int32_t> MostMembers(std::span<const HostSlots> hosts, int32_t limit) {
  std::vector<int32_t> sorted;
  sorted.reserve(hosts.size());
  for (const HostSlots& host : hosts) sorted.push_back(host.slots);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<int32_t> most = {0};
  for (const int32_t slots : sorted) {
    if (most.back() >= limit) break;
    // Written so that it can not overflow.
    most.push_back(slots >= limit - most.back() ? limit : most.back() + slots);
  }
  return most;
}

void SpreadOverHosts(std::span<const HostSlots> hosts, int32_t members,
                     std::vector<HostShare>& taken) {
  Histogram later;  // hosts from the current one on
  for (const HostSlots& host : hosts) ++later[host.slots];
  int32_t unused = HostsNeeded(later, members);
  for (const HostSlots& host : hosts) {
    if (members == 0) return;
    const auto entry = later.find(host.slots);
    if (--entry->second == 0) later.erase(entry);
    // Filling this host leaves the least to the others; if even that needs more hosts than are
    // left, it stays empty.
    const int32_t here = std::min(host.slots, members);
    if (LargestSum(later, unused - 1) < members - here) continue;
    taken.push_back({host.host, here});
    members -= here;
    --unused;
  }
  PHALANX_CHECK(members == 0, "{} members left over", members);
}

}  // namespace phalanx

#include "core/cluster/host_range.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace phalanx {
namespace {

using Ranges = std::vector<HostRange>;

std::set<uint32_t> HostsOf(const Ranges& ranges) {
  std::set<uint32_t> hosts;
  for (const HostRange& range : ranges) {
    for (uint32_t host = range.first.value(); host < range.end(); ++host) hosts.insert(host);
  }
  return hosts;
}

Ranges RandomRanges(std::mt19937& random) {
  Ranges out;
  for (uint32_t at = random() % 3; at < 20; at += 1 + random() % 5) {
    const uint32_t count = 1 + random() % 4;
    out.push_back({HostId(at), count});
    at += count;
  }
  return out;
}

TEST(HostRange, IntersectAndHoldsEqualTheSameOfSets) {
  std::mt19937 random(20261201);
  for (int i = 0; i < 2000; ++i) {
    const Ranges a = RandomRanges(random);
    const Ranges b = RandomRanges(random);
    const std::set<uint32_t> in_a = HostsOf(a);
    const std::set<uint32_t> in_b = HostsOf(b);
    std::set<uint32_t> both;
    for (uint32_t host = 0; host < 40; ++host) {
      if (in_a.contains(host) && in_b.contains(host)) both.insert(host);
      ASSERT_EQ(Holds(a, HostId(host)), in_a.contains(host)) << host;
    }
    ASSERT_EQ(HostsOf(Intersect(a, b)), both);
    ASSERT_EQ(Intersect(a, b), Intersect(b, a));
  }
}

}  // namespace
}  // namespace phalanx

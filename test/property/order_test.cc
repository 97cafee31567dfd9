// At small size; at full size in test/long/property.
#include "property/order.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace phalanx::test {
namespace {

TEST(EngineOrderTest, OrderOfInputDecidesNothing) {
  OrderSeen seen;
  for (uint32_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    ExpectOrderDecidesNothing(seed, 2, seen);
  }
  EXPECT_GT(seen.admitted, seen.crowds);
  EXPECT_GT(seen.waiting, seen.crowds);
  std::printf("property: %lld crowds told in any order, %lld gangs admitted, %lld wait\n",
              static_cast<long long>(seen.crowds), static_cast<long long>(seen.admitted),
              static_cast<long long>(seen.waiting));
}

TEST(EngineOrderTest, ARareResourceIsFoundInAnyOrder) { ExpectARareResourceIsFound(100, 20); }

}  // namespace
}  // namespace phalanx::test

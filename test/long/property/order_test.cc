// The order of input, at full size and in parts that run side by side.
#include "property/order.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace phalanx::test {
namespace {

constexpr uint32_t kCrowdsOfAPart = 2'500;

class EngineOrder : public testing::TestWithParam<uint32_t> {};

TEST_P(EngineOrder, OfInputDecidesNothing) {
  OrderSeen seen;
  const uint32_t first = 1'000 + GetParam() * kCrowdsOfAPart;
  for (uint32_t seed = first; seed < first + kCrowdsOfAPart && !HasFailure(); ++seed) {
    ExpectOrderDecidesNothing(seed, 2, seen);
  }
  EXPECT_GT(seen.admitted, seen.crowds);
  EXPECT_GT(seen.waiting, seen.crowds);
  std::printf("property: %lld crowds told in any order, %lld gangs admitted, %lld wait\n",
              static_cast<long long>(seen.crowds), static_cast<long long>(seen.admitted),
              static_cast<long long>(seen.waiting));
}

TEST(EngineOrderTest, ARareResourceIsFoundInAnyOrder) { ExpectARareResourceIsFound(1'000, 100); }

INSTANTIATE_TEST_SUITE_P(Parts, EngineOrder, testing::Range(0u, 4u));

}  // namespace
}  // namespace phalanx::test

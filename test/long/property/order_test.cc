// The order of input, at full size and in parts that run side by side.
#include "property/order.h"

#include <gtest/gtest.h>

namespace phalanx::test {
namespace {

constexpr uint32_t kCrowdsOfAPart = 2'500;

class EngineOrder : public testing::TestWithParam<uint32_t> {};

TEST_P(EngineOrder, OfInputDecidesNothing) {
  ExpectOrderDecidesNothing(1'000 + GetParam() * kCrowdsOfAPart, kCrowdsOfAPart);
}

TEST(EngineOrderTest, ARareResourceIsFoundInAnyOrder) { ExpectARareResourceIsFound(1'000, 100); }

INSTANTIATE_TEST_SUITE_P(Parts, EngineOrder, testing::Range(0u, 4u));

}  // namespace
}  // namespace phalanx::test

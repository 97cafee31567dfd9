#include "core/base/ratio.h"

#include <gtest/gtest.h>

#include <limits>

namespace phalanx {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(RatioTest, ComparesWithoutDivision) {
  EXPECT_TRUE(CompareRatios({1, 3}, {1, 2}) < 0);
  EXPECT_TRUE(CompareRatios({2, 4}, {1, 2}) == 0);
  EXPECT_TRUE(CompareRatios({0, 5}, {0, 7}) == 0);
}

// (kMax - 1)/kMax against (kMax - 2)/(kMax - 1): a double can't tell them apart, 64 bits overflow.
TEST(RatioTest, IsExactForTheLargestNumbers) {
  EXPECT_TRUE(CompareRatios({kMax - 1, kMax}, {kMax - 2, kMax - 1}) > 0);
  EXPECT_TRUE(CompareRatios({kMax, kMax}, {1, 1}) == 0);
}

TEST(RatioTest, NothingOfNothingIsZeroAndSomethingOfNothingIsInfinite) {
  EXPECT_TRUE(CompareRatios({0, 0}, {0, 9}) == 0);
  EXPECT_TRUE(CompareRatios({0, 0}, {1, kMax}) < 0);
  EXPECT_TRUE(CompareRatios({1, 0}, {kMax, 1}) > 0);
  EXPECT_TRUE(CompareRatios({1, 0}, {2, 0}) == 0);
}

TEST(RatioDeathTest, RefusesNegativeNumbers) {
  EXPECT_DEATH((void)CompareRatios({-1, 2}, {1, 2}), "-1/2 against 1/2");
}

}  // namespace
}  // namespace phalanx

#include "core/base/check.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

TEST(CheckDeathTest, EndsTheProcessWithTheValues) {
  const int slots = 3;
  EXPECT_DEATH(PHALANX_CHECK(slots == 4, "{} slots on {}", slots, "node-a"),
               "check_test.cc:[0-9]+: check failed: slots == 4: 3 slots on node-a");
}

TEST(CheckTest, EvaluatesTheConditionOnceAndPasses) {
  int calls = 0;
  PHALANX_CHECK(++calls == 1, "called {} times", calls);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace phalanx

#include "core/base/check.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/base/check_context.h"

namespace phalanx {
namespace {

TEST(CheckDeathTest, EndsTheProcessWithTheValues) {
  const int slots = 3;
  EXPECT_DEATH(PHALANX_CHECK(slots == 4, "{} slots on {}", slots, "node-a"),
               "check_test.cc:[0-9]+: check failed: slots == 4: 3 slots on node-a");
}

TEST(CheckDeathTest, TellsTheInnermostPosition) {
  CheckPosition outer([] { return std::string("outer"); });
  {
    CheckPosition inner([] { return std::string("command 3"); });
    EXPECT_EQ(CheckPosition::Current(), "command 3");
    EXPECT_DEATH(PHALANX_CHECK(false, "x"), "check failed: false: x .command 3.");
  }
  EXPECT_EQ(CheckPosition::Current(), "outer");
}

TEST(CheckDeathTest, AReporterTellsInsteadOfUs) {
  auto fail = [] {
    SetCheckReporter(
        [](const CheckFailure& f) { std::fprintf(stderr, "told: %s", f.message.c_str()); });
    PHALANX_CHECK(false, "by us");
  };
  EXPECT_DEATH(fail(), "told: by us");
}

TEST(CheckTest, EvaluatesTheConditionOnceAndPasses) {
  int calls = 0;
  PHALANX_CHECK(++calls == 1, "called {} times", calls);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace phalanx

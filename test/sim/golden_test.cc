// 82,247 jobs of Philly under the baselines, in every digit as two other programs found them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/golden_replay.h"

namespace phalanx::sim {
namespace {

using phalanx::testing::DifferencesFrom;
using phalanx::testing::GoldenRow;
using ::testing::IsEmpty;

const Trace& Philly() {
  static const Trace trace = ReadPhilly("test/data/philly-2017/philly.csv.gz");
  return trace;
}

class GoldenTest : public ::testing::TestWithParam<GoldenRow> {};

TEST_P(GoldenTest, EqualInEveryDigit) {
  ASSERT_THAT(Philly().errors, IsEmpty());
  const ReplaySummary summary = Summarize(Philly(), Replay(Philly(), GetParam().settings));
  EXPECT_THAT(DifferencesFrom(GetParam(), summary), IsEmpty()) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    Philly, GoldenTest,
    ::testing::ValuesIn(phalanx::testing::ReadGoldenRows("test/data/philly-2017/golden.csv")),
    [](const auto& info) {
      std::string name = info.param.name;
      std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
      return "nodes" + name;
    });

TEST(GoldenRows, AreAll) {
  EXPECT_EQ(phalanx::testing::ReadGoldenRows("test/data/philly-2017/golden.csv").size(), 16u);
}

TEST(GoldenRows, OneWaitThatIsASecondLongerShows) {
  const auto rows = phalanx::testing::ReadGoldenRows("test/data/philly-2017/golden.csv");
  ReplayResult result = Replay(Philly(), rows[4].settings);
  ReplaySummary summary = Summarize(Philly(), result);
  summary.p99_wait_s += 1;
  EXPECT_THAT(DifferencesFrom(rows[4], summary),
              ::testing::ElementsAre("p99: 45180, golden 45179"));
}

}  // namespace
}  // namespace phalanx::sim

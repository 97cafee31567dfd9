// Property: whatever goes wrong in a small random cluster, the invariants hold
// after every command, and when the faults stop everything that fits runs to
// its end.
#include "sim/campaign.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/parser.h"
#include "sim/report.h"
#include "sim/runner.h"

namespace phalanx::sim {
namespace {

constexpr uint64_t kSeeds = 120;

Scenario Parsed(const std::string& text) {
  ParseResult parsed = ParseScenario(text, "random.scn");
  for (const ParseError& error : parsed.errors) ADD_FAILURE() << error.Text() << "\n" << text;
  return parsed.scenario;
}

TEST(Campaign, EverySeedEndsWell) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::string text = RandomScenario(seed);
    RunResult result = RunScenario(Parsed(text), {});
    std::ostringstream report;
    PrintResult(report, result);
    ASSERT_TRUE(result.failures.empty()) << "seed " << seed << "\n" << text << report.str();
  }
}

TEST(Campaign, SeedsDifferAndRepeat) {
  EXPECT_EQ(RandomScenario(7), RandomScenario(7));
  EXPECT_NE(RandomScenario(7), RandomScenario(8));
}

}  // namespace
}  // namespace phalanx::sim

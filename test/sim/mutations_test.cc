// Checks must be able to fail: each deliberate mistake of the product is found by the check that is
// there for it, in a campaign that is clean without it.
#include "sim/mutations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/faults/campaign.h"
#include "sim/parser.h"
#include "sim/runner.h"

namespace phalanx::sim {
namespace {

// Not every plan has the fault that brings the mistake to light.
constexpr uint64_t kMostSeeds = 300;

class MutationTest : public ::testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, IsFoundByItsCheck) {
  CampaignOptions options{.seeds = 1, .tamper = GetParam().make, .only_check = GetParam().check};
  for (options.first = 1; options.first <= kMostSeeds; ++options.first) {
    const CampaignResult result = RunCampaign(options);
    if (result.failures.empty()) continue;
    const SeedFailure& failure = result.failures.front();
    EXPECT_EQ(failure.violation.check, GetParam().check) << failure.violation.text;
    EXPECT_EQ(failure.seed, options.first);
    EXPECT_FALSE(failure.last_events.empty());
    return;
  }
  FAIL() << GetParam().check << " finds nothing in " << kMostSeeds << " seeds";
}

// In a campaign everything ends, so at its end nobody is part-bound for that reason alone.
TEST(AllOrNothing, IsBrokenByARollBackThatEvictsNobody) {
  const ParseResult parsed = ParseScenario(
      "why: a test\nnode n[1-2] gpu=1\ngang a members=2 gpu=1\n"
      "refuse-bind pod=a-1\nend at=2m\nexpect gang a bound=1\n",
      "x.scn");
  ASSERT_TRUE(parsed.errors.empty());
  const auto evict_nobody = std::ranges::find(Mutations(), "EvictNobody", &Mutation::name);
  const std::unique_ptr<Tamper> tamper = evict_nobody->make();
  RunOptions options;
  options.tamper = tamper.get();
  std::set<std::string> checks;
  for (const Violation& found : RunScenario(parsed.scenario, options).violations) {
    checks.insert(found.check);
  }
  EXPECT_THAT(checks, ::testing::Contains("all-or-nothing"));
}

INSTANTIATE_TEST_SUITE_P(All, MutationTest, ::testing::ValuesIn(Mutations()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace phalanx::sim

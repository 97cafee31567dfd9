// Property: whatever goes wrong, every promise holds after every command, and when the faults stop
// everything that fits runs to its end. The default run of the tests takes 2,000 seeds besides.
#include "sim/faults/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sim/faults/faults_command.h"
#include "sim/faults/plan.h"

namespace phalanx::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(FaultPlans, DifferAndRepeat) {
  EXPECT_EQ(MakeFaultPlan(7).text, MakeFaultPlan(7).text);
  EXPECT_NE(MakeFaultPlan(7).text, MakeFaultPlan(8).text);
}

TEST(FaultPlans, HaveWhatTheyPromise) {
  std::set<std::string> kinds;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const FaultPlan plan = MakeFaultPlan(seed);
    int64_t faults = 0;
    for (const auto& [kind, count] : plan.faults) {
      faults += count;
      kinds.insert(kind);
    }
    EXPECT_GE(plan.gangs, kLeastGangs) << seed;
    EXPECT_GE(plan.members, kLeastMembers) << seed;
    EXPECT_GE(faults, kLeastFaults) << seed;
  }
  EXPECT_EQ(kinds.size(), 24u);
}

TEST(Campaign, SomeSeedsEndWell) {
  const CampaignResult result = RunCampaign({.first = 1, .seeds = 30, .threads = 2});
  for (const SeedFailure& failure : result.failures) {
    ADD_FAILURE() << "seed " << failure.seed << ": " << failure.violation.check << ": "
                  << failure.violation.entity << " " << failure.violation.text;
  }
  EXPECT_GE(result.totals.binds, result.totals.members);
}

TEST(Campaign, IsTheSameWithAnyNumberOfThreads) {
  const CampaignResult one = RunCampaign({.first = 100, .seeds = 12, .threads = 1});
  const CampaignResult three = RunCampaign({.first = 100, .seeds = 12, .threads = 3});
  const CampaignResult others = RunCampaign({.first = 101, .seeds = 12, .threads = 3});
  EXPECT_EQ(one.hash, three.hash);
  EXPECT_EQ(one.totals.commands, three.totals.commands);
  EXPECT_NE(one.hash, others.hash);
}

TEST(FaultsCommand, PrintsTotalsAndHash) {
  std::ostringstream out;
  EXPECT_EQ(RunFaults({.seeds = 2, .seed = 5, .json = true}, out), 0);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["seeds"], 2);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GE(json["totals"]["gangs"], 2 * kLeastGangs);
  EXPECT_GE(json["totals"]["binds"], json["totals"]["members"]);
  EXPECT_EQ(json["hash"].get<std::string>().size(), 16u);
  std::ostringstream text;
  EXPECT_EQ(RunFaults({.seeds = 2, .seed = 5}, text), 0);
  EXPECT_THAT(text.str(), HasSubstr("hash " + json["hash"].get<std::string>()));
  EXPECT_THAT(text.str(), HasSubstr("2 passed, 0 failed"));
}

TEST(FaultsCommand, PrintsAPlanAsAScenario) {
  std::ostringstream out;
  EXPECT_EQ(RunFaults({.seed = 3, .print = true}, out), 0);
  EXPECT_THAT(out.str(), StartsWith("why: "));
  EXPECT_THAT(out.str(), HasSubstr("(seed 3)"));
}

}  // namespace
}  // namespace phalanx::sim

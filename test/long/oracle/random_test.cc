// 100,000 seeded worlds with two roles and as many with one, half of them with two trees over the
// same hosts, against brute force; and the properties at full size. In parts, so that they run side
// by side.
#include <gtest/gtest.h>

#include "oracle/campaign.h"
#include "oracle/link_campaign.h"
#include "oracle/properties.h"

namespace phalanx::oracle {
namespace {

constexpr uint64_t kParts = 4;
constexpr int kWorldsOfAPart = 25'000;

class Campaign : public testing::TestWithParam<uint64_t> {};

TEST_P(Campaign, TwoRoles) {
  const Tally tally = CampaignOfTwoRoles(20262000 + GetParam(), kWorldsOfAPart);
  EXPECT_EQ(tally.worlds, kWorldsOfAPart);
  EXPECT_GT(tally.exact, kWorldsOfAPart / 6);
  EXPECT_GT(tally.refused, kWorldsOfAPart / 6);
  EXPECT_LT(tally.missed * 20, tally.fits);
}

TEST_P(Campaign, OneRole) {
  const Tally tally = CampaignOfOneRole(20263000 + GetParam(), kWorldsOfAPart);
  EXPECT_EQ(tally.worlds, kWorldsOfAPart);
  EXPECT_GT(tally.fits, kWorldsOfAPart / 6);
  EXPECT_GT(tally.refused, kWorldsOfAPart / 6);
}

TEST_P(Campaign, Spread) {
  const Tally tally = CampaignOfSpread(20267000 + GetParam(), kWorldsOfAPart);
  EXPECT_GT(tally.worlds, kWorldsOfAPart * 3 / 4);
  EXPECT_GT(tally.exact, kWorldsOfAPart / 10);
  EXPECT_GT(tally.refused, kWorldsOfAPart / 6);
}

TEST_P(Campaign, Links) {
  const LinkTally one = CampaignOfLinks(20268000 + GetParam(), kWorldsOfAPart, 1);
  EXPECT_EQ(one.worlds, kWorldsOfAPart);
  EXPECT_GT(one.exact, kWorldsOfAPart / 6);
  EXPECT_GT(one.by_limit, kWorldsOfAPart / 40);
  const LinkTally two = CampaignOfLinks(20269000 + GetParam(), kWorldsOfAPart, 2);
  EXPECT_EQ(two.worlds, kWorldsOfAPart);
  EXPECT_LT(two.missed, two.fits);
}

TEST_P(Campaign, OrderOfInputChangesNothing) {
  CheckProperty(20264000 + GetParam(), kWorldsOfAPart, 12, ExpectOrderChangesNothing)
      .Print("another order changes nothing");
}

TEST_P(Campaign, AFreeHostNeverTurnsAProvenFitIntoARefusal) {
  CheckProperty(20265000 + GetParam(), kWorldsOfAPart, 12, ExpectAFreeHostKeepsAFit)
      .Print("a free host keeps a fit");
}

TEST_P(Campaign, AWhatIfLeavesNoTrace) {
  CheckProperty(20266000 + GetParam(), kWorldsOfAPart / 5, 12, ExpectAWhatIfLeavesNoTrace)
      .Print("a what-if leaves no trace");
}

INSTANTIATE_TEST_SUITE_P(Parts, Campaign, testing::Range(uint64_t{0}, kParts));

}  // namespace
}  // namespace phalanx::oracle

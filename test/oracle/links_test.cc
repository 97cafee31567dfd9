// Placement by declared traffic against brute force. Many more worlds are looked at in
// test/long/oracle.
#include <gtest/gtest.h>

#include "oracle/link_campaign.h"

namespace phalanx::oracle {
namespace {

TEST(LinkOracleTest, OneRoleIsExactToTheLastTie) {
  const LinkTally tally = CampaignOfLinks(20261210, 4000, 1);
  EXPECT_GT(tally.exact, 1000);
  EXPECT_GT(tally.moved, 40);
  EXPECT_GT(tally.over, 100);
  EXPECT_GT(tally.by_limit, 100);
}

TEST(LinkOracleTest, TwoRolesAreAsProvenAsTheySay) {
  const LinkTally tally = CampaignOfLinks(20261211, 2000, 2);
  EXPECT_GT(tally.exact, 100);
  EXPECT_GT(tally.by_limit, 20);
  EXPECT_LT(tally.missed, tally.fits);
}

}  // namespace
}  // namespace phalanx::oracle

// Random small worlds with gaps in their labels, sick nodes, two trees and two roles, against brute
// force. Many more of the same are looked at in test/long/oracle.
#include <gtest/gtest.h>

#include "oracle/campaign.h"

namespace phalanx::oracle {
namespace {

TEST(RandomOracleTest, OneRoleIsExactToTheLastTie) {
  const Tally tally = CampaignOfOneRole(20261130, 6000);
  EXPECT_EQ(tally.worlds, 6000);
  EXPECT_GT(tally.fits, 1500);
  EXPECT_GT(tally.refused, 1500);
}

TEST(RandomOracleTest, TwoRolesAreExactAndRefusalsProven) {
  const Tally tally = CampaignOfTwoRoles(20261201, 6000);
  EXPECT_EQ(tally.worlds, 6000);
  EXPECT_GT(tally.exact, 1000);
  EXPECT_GT(tally.refused, 1500);
  EXPECT_LT(tally.missed * 20, tally.fits);
}

// Two small roles beside a large one: up to 16 states, and above them one role after another.
TEST(RandomOracleTest, ThreeRolesAreExactWhereTwoAreSmall) {
  Random random(20261207);
  Tally tally;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 5);
    AddTwoRoles(random, 4, false, world);
    world.roles.push_back(RandomRole(random, 3));
    world.roles[2].requests[kCpu] = 1;
    CheckRoles(world, 0, tally);
  }
  EXPECT_GT(tally.exact, 200);
  EXPECT_LT(tally.exact, tally.fits);  // else none was above the limit
  tally.Print("three roles");
}

}  // namespace
}  // namespace phalanx::oracle

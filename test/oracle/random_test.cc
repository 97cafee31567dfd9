// Random small worlds with gaps in their labels, sick nodes and two roles, against brute force.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

#include "oracle/brute_force.h"
#include "oracle/small_world.h"

namespace phalanx::oracle {
namespace {

using Random = std::mt19937_64;

int64_t Between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}
bool Chance(Random& random, int percent) { return Between(random, 1, 100) <= percent; }

LabelMap RandomLabels(Random& random) {
  LabelMap labels;
  // Few values, so that a value stands under several parents and is a domain under each.
  for (const char* key : kLevelKeys) {
    if (!Chance(random, 15)) labels[key] = fmt::format("v{}", Between(random, 1, 2));
  }
  if (Chance(random, 50)) labels["model"] = "h100";
  return labels;
}

SmallWorld RandomHosts(Random& random, int64_t most_hosts) {
  SmallWorld world;
  const int64_t hosts = Between(random, 1, most_hosts);
  for (int64_t i = 0; i < hosts; ++i) {
    // Names are dealt so that their order is not the order of arrival.
    world.AddHost(fmt::format("h{}", (i * 7 + 3) % 10), RandomLabels(random), 4,
                  Between(random, 0, 4));
    if (Chance(random, 8)) world.nodes.back().unschedulable = true;
    if (Chance(random, 8)) world.nodes.back().ready = false;
  }
  constexpr const char* kRequired[] = {"", "", "zone", "leaf", "rack", "host"};
  world.required = kRequired[Between(random, 0, 5)];
  return world;
}

Role RandomRole(Random& random, int32_t most) {
  Role role;
  role.requests[kGpu] = Between(random, 1, 2);
  if (Chance(random, 40)) role.requests[kCpu] = Between(random, 3, 6);
  if (Chance(random, 25)) role.node_selector["model"] = "h100";
  role.count = static_cast<int32_t>(Between(random, 1, most));
  return role;
}

void ExpectJudged(const SmallWorld& world, const Searched& searched) {
  EXPECT_THAT(Judge(world, searched), testing::IsEmpty()) << world.Describe();
}

// Touched domains, and how many members each host gets.
void ExpectSame(const SmallWorld& world, const Searched& searched, const BestPlacement& expected) {
  ASSERT_EQ(searched.answer.placement()->touched, expected.touched) << world.Describe();
  for (const auto& [host, counts] : searched.Members()) {
    ASSERT_EQ(counts[0], expected.members.contains(host) ? expected.members.at(host) : 0)
        << host << "\n"
        << world.Describe();
  }
  ExpectJudged(world, searched);
}

TEST(RandomOracleTest, OneRoleIsExactToTheLastTie) {
  Random random(20261130);
  int fits = 0;
  constexpr int kWorlds = 6000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 6);
    world.roles = {RandomRole(random, 7)};
    const Searched searched = Search(world);
    const auto expected = BruteForceOneRole(world);
    SCOPED_TRACE("world " + std::to_string(i));
    const Placement* got = searched.answer.placement();
    ASSERT_EQ(got != nullptr, expected.has_value()) << world.Describe();
    if (got == nullptr) {
      EXPECT_EQ(searched.answer.refusal()->proven, ProvenThrough::kFeasibility);
      continue;
    }
    ++fits;
    ExpectSame(world, searched, *expected);
  }
  std::printf("oracle: %d worlds with one role, %d fit\n", kWorlds, fits);
}

Segment RandomSegment(Random& random) {
  constexpr const char* kLevelsOrNone[] = {"", "zone", "leaf", "rack", "host", "spine"};
  Segment segment;
  segment.size = static_cast<int32_t>(Between(random, 2, 3));
  segment.required_level = kLevelsOrNone[Between(random, 0, 4)];
  segment.preferred_level = kLevelsOrNone[Between(random, 0, 5)];
  return segment;
}

TEST(RandomOracleTest, SegmentsAreExactToTheLastTie) {
  Random random(20261205);
  int fits = 0, refused = 0;
  constexpr int kWorlds = 6000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 6);
    world.roles = {RandomRole(random, 4)};
    world.roles[0].segment = RandomSegment(random);
    if (!Chance(random, 5)) world.roles[0].count *= world.roles[0].segment.size;
    if (world.roles[0].count > 8) continue;
    const Searched searched = Search(world);
    const auto expected = BruteForceOneRole(world);
    SCOPED_TRACE("world " + std::to_string(i));
    const Placement* got = searched.answer.placement();
    ASSERT_EQ(got != nullptr, expected.has_value()) << world.Describe();
    if (got == nullptr) {
      ++refused;
      continue;
    }
    ++fits;
    ASSERT_EQ(got->proven, ProvenThrough::kAll);
    ExpectSame(world, searched, *expected);
  }
  std::printf("oracle: segments, %d fit, %d refused\n", fits, refused);
}

// Each role keeps its own segments, whatever else the search does with several roles.
TEST(RandomOracleTest, SegmentsOfTwoRolesAreWhole) {
  Random random(20261206);
  int fits = 0;
  constexpr int kWorlds = 3000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 7);
    world.roles = {RandomRole(random, 3), RandomRole(random, 2)};
    world.roles[1].requests[kCpu] = 2;
    world.roles[0].segment = RandomSegment(random);
    world.roles[0].count *= world.roles[0].segment.size;
    const Searched searched = Search(world);
    if (searched.answer.placement() == nullptr) continue;
    ++fits;
    ExpectJudged(world, searched);
  }
  EXPECT_GT(fits, 100);
  std::printf("oracle: two roles, one in segments, %d fit\n", fits);
}

// What the search says of several roles against all ways to place them.
struct RolesTally {
  int fits = 0, exact = 0, refused = 0, missed = 0, wide = 0;

  void Check(const SmallWorld& world) {
    const Searched searched = Search(world);
    const auto least = BruteForceRoles(world);
    const Reason* refusal = searched.answer.refusal();
    if (refusal != nullptr) {
      if (!least) {
        ++refused;
        return;
      }
      ++missed;
      ASSERT_EQ(refusal->proven, ProvenThrough::kNothing) << "a proven refusal of what fits\n"
                                                          << world.Describe();
      return;
    }
    ++fits;
    ASSERT_TRUE(least.has_value()) << world.Describe();
    const Placement& placement = *searched.answer.placement();
    ASSERT_GE(placement.touched, *least) << world.Describe();
    wide += placement.touched > *least;
    if (placement.proven == ProvenThrough::kAll) {
      ++exact;
      ASSERT_EQ(placement.touched, *least) << world.Describe();
    }
    ExpectJudged(world, searched);
  }

  void Print(const char* what) const {
    std::printf("oracle: %s, %d fit (%d exact, %d touch too much), %d refused, %d missed\n", what,
                fits, exact, wide, refused, missed);
  }
};

TEST(RandomOracleTest, TwoRolesAreExactAndRefusalsProven) {
  Random random(20261201);
  RolesTally tally;
  constexpr int kWorlds = 6000;
  for (int i = 0; i < kWorlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 5);
    world.roles = {RandomRole(random, 4), RandomRole(random, 3)};
    world.roles[1].requests[kCpu] = 2;  // never the same shape as the first
    tally.Check(world);
  }
  EXPECT_EQ(tally.missed, 0);
  EXPECT_EQ(tally.exact, tally.fits);
  tally.Print("two roles");
}

// Two small roles beside a large one: up to 16 states.
TEST(RandomOracleTest, ThreeRolesAreExact) {
  Random random(20261207);
  RolesTally tally;
  constexpr int kWorlds = 2000;
  for (int i = 0; i < kWorlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 5);
    world.roles = {RandomRole(random, 4), RandomRole(random, 2), RandomRole(random, 2)};
    world.roles[1].requests[kCpu] = 2;
    world.roles[2].requests[kCpu] = 1;
    tally.Check(world);
  }
  EXPECT_EQ(tally.exact, tally.fits);
  tally.Print("three roles");
}

// With a budget of next to nothing roles go one after another, and nothing is claimed.
TEST(RandomOracleTest, GreedyRolesNeverContradictBruteForce) {
  Random random(20261208);
  int fits = 0, missed = 0;
  constexpr int kWorlds = 3000;
  for (int i = 0; i < kWorlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 5);
    world.roles = {RandomRole(random, 4), RandomRole(random, 3)};
    world.roles[1].requests[kCpu] = 2;
    Searched searched = Search(world);
    searched.request.max_cells = 63;
    searched.answer = Place(*searched.cluster, searched.request);
    const bool feasible = BruteForceRoles(world).has_value();
    const Reason* refusal = searched.answer.refusal();
    if (refusal == nullptr) {
      ++fits;
      ASSERT_TRUE(feasible) << world.Describe();
      ExpectJudged(world, searched);
    } else if (feasible) {
      ++missed;
      ASSERT_EQ(refusal->proven, ProvenThrough::kNothing) << world.Describe();
    }
  }
  EXPECT_LT(missed * 20, fits);
  std::printf("oracle: two roles without a budget, %d fit, %d missed (unproven)\n", fits, missed);
}

TEST(RandomOracleTest, TheOrderOfNodesAndRolesChangesNothing) {
  Random random(20261202);
  constexpr int kWorlds = 1500;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 8);
    world.roles = {RandomRole(random, 5)};
    if (Chance(random, 50)) {
      world.roles.push_back(RandomRole(random, 3));
      world.roles[1].requests[kCpu] = 2;
    }
    const Searched first = Search(world);
    const SmallWorld other = Shuffled(world, random);
    const Searched second = Search(other);
    auto members = second.Members();
    if (other.roles[0].requests != world.roles[0].requests) {
      for (auto& [host, counts] : members) std::reverse(counts.begin(), counts.end());
    }
    ASSERT_EQ(first.Members(), members) << world.Describe();
    ASSERT_EQ(first.answer.refusal() != nullptr, second.answer.refusal() != nullptr);
    if (first.answer.refusal() == nullptr) continue;
    ASSERT_EQ(*first.answer.refusal(), *second.answer.refusal()) << world.Describe();
  }
}

// A host with room, in a domain that is there or in a new one, never makes a fit a refusal.
TEST(RandomOracleTest, AFreeHostNeverTurnsAProvenFitIntoARefusal) {
  Random random(20261203);
  int fits = 0;
  constexpr int kWorlds = 3000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 6);
    world.roles = {RandomRole(random, 7)};
    const Searched before = Search(world);
    if (before.answer.placement() == nullptr) continue;
    ASSERT_EQ(before.answer.placement()->proven, ProvenThrough::kAll);
    ++fits;
    world.AddHost("new", RandomLabels(random), 4, Between(random, 0, 3));
    const Searched after = Search(world);
    ASSERT_NE(after.answer.placement(), nullptr) << world.Describe();
  }
  std::printf("oracle: %d fits stay fits with one more host\n", fits);
}

}  // namespace
}  // namespace phalanx::oracle

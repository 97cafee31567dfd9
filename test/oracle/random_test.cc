// Random small worlds with gaps in their labels, sick nodes and two roles, against brute force.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

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

TEST(RandomOracleTest, OneRoleIsExactToTheLastTie) {
  Random random(20261130);
  int fits = 0;
  constexpr int kWorlds = 6000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 6);
    world.roles = {RandomRole(random, 7)};
    const Searched searched = Search(world);
    const auto expected = BruteForceOneRole(world);
    const Placement* got = searched.answer.placement();
    ASSERT_EQ(got != nullptr, expected.has_value()) << "world " << i << "\n" << world.Describe();
    if (got == nullptr) {
      EXPECT_EQ(searched.answer.refusal()->proven, ProvenThrough::kFeasibility);
      continue;
    }
    ++fits;
    ASSERT_EQ(got->touched, expected->touched) << "world " << i << "\n" << world.Describe();
    for (const auto& [host, counts] : searched.Members()) {
      ASSERT_EQ(counts[0], expected->members.contains(host) ? expected->members.at(host) : 0)
          << host << " in world " << i << "\n"
          << world.Describe();
    }
    ExpectJudged(world, searched);
  }
  std::printf("oracle: %d worlds with one role, %d fit\n", kWorlds, fits);
}

TEST(RandomOracleTest, TwoRolesNeverContradictBruteForce) {
  Random random(20261201);
  int fits = 0, refused = 0, missed = 0;
  constexpr int kWorlds = 6000;
  for (int i = 0; i < kWorlds && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 5);
    world.roles = {RandomRole(random, 4), RandomRole(random, 3)};
    world.roles[1].requests[kCpu] = 2;  // never the same shape as the first
    const Searched searched = Search(world);
    const bool feasible = BruteForceFeasible(world);
    const Reason* refusal = searched.answer.refusal();
    if (refusal == nullptr) {
      ++fits;
      ASSERT_TRUE(feasible) << "world " << i << "\n" << world.Describe();
      ASSERT_LE(searched.answer.placement()->proven, ProvenThrough::kFeasibility);
      ExpectJudged(world, searched);
    } else if (feasible) {
      ++missed;
      ASSERT_EQ(refusal->proven, ProvenThrough::kNothing)
          << "a proven refusal of what fits, world " << i << "\n"
          << world.Describe();
    } else {
      ++refused;
    }
  }
  EXPECT_LT(missed * 50, fits);  // the greedy search misses less than 2 %
  std::printf("oracle: %d worlds with two roles, %d fit, %d refused, %d missed (unproven)\n",
              kWorlds, fits, refused, missed);
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

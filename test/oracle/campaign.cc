#include "oracle/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "oracle/brute_force.h"

namespace phalanx::oracle {
namespace {

void ExpectJudged(const SmallWorld& world, const Searched& searched) {
  EXPECT_THAT(Judge(world, searched), testing::IsEmpty()) << world.Describe();
}

// Which role is the large one, that ties go by, is plain only if one has the most members.
bool OneRoleIsLargest(const SmallWorld& world) {
  std::vector<int32_t> counts;
  for (const Role& role : world.roles) counts.push_back(role.count);
  std::sort(counts.rbegin(), counts.rend());
  return counts.size() == 2 && counts[0] > counts[1];
}

// Segments of a level that crosses the tree are kept whole in its parts only: others might do.
bool CutsSegments(const Searched& searched, const Role& role) {
  const Topology& topology = searched.cluster->topology();
  const LevelId level = topology.FindLevel(role.segment.required_level);
  return role.segment.size > 1 && topology.CrossingOf(level) != nullptr;
}

// Such a rule is refused: its domains are no vertices of the tree.
bool SpreadCrosses(const SmallWorld& world) {
  const Searched searched = Search(world);
  const Topology& topology = searched.cluster->topology();
  return std::any_of(world.roles.begin(), world.roles.end(), [&](const Role& role) {
    return topology.CrossingOf(topology.FindLevel(role.spread.level)) != nullptr;
  });
}

SmallWorld RandomWorld(Random& random, int64_t most_hosts) {
  return Chance(random, 50) ? RandomTwoTrees(random, most_hosts) : RandomHosts(random, most_hosts);
}

}  // namespace

void Tally::Add(const Tally& other) {
  worlds += other.worlds;
  fits += other.fits;
  exact += other.exact;
  wide += other.wide;
  refused += other.refused;
  missed += other.missed;
}

void Tally::Print(const std::string& what) const {
  std::printf(
      "oracle: %lld worlds with %s: %lld fit (%lld proven through all, %lld others touch too "
      "much), %lld refused, %lld missed without a proof\n",
      static_cast<long long>(worlds), what.c_str(), static_cast<long long>(fits),
      static_cast<long long>(exact), static_cast<long long>(wide), static_cast<long long>(refused),
      static_cast<long long>(missed));
}

void CheckOneRole(const SmallWorld& world, Tally& tally) {
  const Searched searched = Search(world);
  const auto expected = BruteForceOneRole(world);
  ++tally.worlds;
  const Placement* got = searched.answer.placement();
  ASSERT_EQ(got != nullptr, expected.has_value()) << world.Describe();
  if (got == nullptr) {
    ++tally.refused;
    const bool proven = searched.answer.refusal()->proven == ProvenThrough::kFeasibility;
    ASSERT_TRUE(proven || CutsSegments(searched, world.roles[0])) << world.Describe();
    return;
  }
  ++tally.fits;
  ++tally.exact;
  ASSERT_EQ(got->proven, ProvenThrough::kAll) << world.Describe();
  ASSERT_EQ(got->touched, expected->touched) << world.Describe();
  ASSERT_EQ(searched.Members(), expected->members) << world.Describe();
  ExpectJudged(world, searched);
}

void CheckRoles(const SmallWorld& world, int64_t max_cells, Tally& tally) {
  Searched searched = Search(world);
  if (max_cells > 0) {
    searched.request.max_cells = max_cells;
    searched.answer = Place(*searched.cluster, searched.request);
  }
  const auto best = BruteForceRoles(world);
  ++tally.worlds;
  if (const Reason* refusal = searched.answer.refusal()) {
    ++(best ? tally.missed : tally.refused);
    if (!best) return;
    ASSERT_EQ(refusal->proven, ProvenThrough::kNothing) << "a proven refusal of what fits\n"
                                                        << world.Describe();
    return;
  }
  ++tally.fits;
  ASSERT_TRUE(best.has_value()) << world.Describe();
  const Placement& placement = *searched.answer.placement();
  ExpectJudged(world, searched);
  ASSERT_GE(placement.touched, best->touched) << world.Describe();
  tally.wide += placement.touched > best->touched;
  if (placement.proven != ProvenThrough::kAll) return;
  ++tally.exact;
  const auto segmented = std::find_if(world.roles.begin(), world.roles.end(),
                                      [](const Role& role) { return role.segment.size > 1; });
  auto exact = best;
  if (segmented != world.roles.end()) {
    exact = BruteForceRoles(world, static_cast<size_t>(segmented - world.roles.begin()));
  }
  ASSERT_EQ(placement.touched, exact->touched) << world.Describe();
  if (!OneRoleIsLargest(world)) return;
  ASSERT_EQ(searched.Members(), exact->members) << world.Describe();
}

Tally CampaignOfTwoRoles(uint64_t seed, int worlds) {
  Random random(seed);
  Tally exact, segments, greedy;
  for (int i = 0; i < worlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomWorld(random, 5);
    const int kind = static_cast<int>(Between(random, 1, 20));
    if (kind <= 5) {
      AddTwoRoles(random, 6, true, world);
      CheckRoles(world, 0, segments);
    } else {
      AddTwoRoles(random, 5, false, world);
      constexpr int64_t kNextToNothing = 63;
      CheckRoles(world, kind <= 7 ? kNextToNothing : 0, kind <= 7 ? greedy : exact);
    }
  }
  // Few members of one role beside those of the other are never placed without a proof.
  EXPECT_EQ(exact.missed, 0);
  EXPECT_EQ(exact.exact, exact.fits);
  exact.Print("two roles");
  segments.Print("two roles, in segments");
  greedy.Print("two roles, without a budget");
  exact.Add(segments);
  exact.Add(greedy);
  return exact;
}

Tally CampaignOfSpread(uint64_t seed, int worlds) {
  Random random(seed);
  Tally one, two;
  for (int i = 0; i < worlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomWorld(random, 6);
    if (Chance(random, 75)) {
      world.roles = {RandomRole(random, 9)};
      world.roles[0].spread = RandomSpread(random, world);
    } else {
      AddTwoRoles(random, 5, false, world);
      world.roles[1].spread = RandomSpread(random, world);
      if (Chance(random, 50)) world.roles[0].spread = RandomSpread(random, world);
    }
    if (SpreadCrosses(world)) {
      EXPECT_EQ(Search(world).answer.placement(), nullptr) << world.Describe();
    } else if (world.roles.size() == 1) {
      CheckOneRole(world, one);
    } else {
      CheckRoles(world, 0, two);
    }
  }
  one.Print("one role, spread");
  two.Print("two roles, spread");
  one.Add(two);
  return one;
}

Tally CampaignOfOneRole(uint64_t seed, int worlds) {
  Random random(seed);
  Tally plain, segments;
  for (int i = 0; i < worlds && !testing::Test::HasFailure(); ++i) {
    SmallWorld world = RandomWorld(random, 6);
    if (Chance(random, 50)) {
      world.roles = {RandomRole(random, 7)};
      CheckOneRole(world, plain);
      continue;
    }
    world.roles = {RandomRole(random, 4)};
    Role& role = world.roles[0];
    role.segment = RandomSegment(random, world);
    if (!Chance(random, 5)) role.count *= role.segment.size;
    role.count = std::min(role.count, 8);
    CheckOneRole(world, segments);
  }
  plain.Print("one role");
  segments.Print("one role, in segments");
  plain.Add(segments);
  return plain;
}

}  // namespace phalanx::oracle

// The parts of the exact search: keys, host groups, staircases, the knapsack and its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "core/place/count_bound.h"
#include "core/place/free_slots.h"
#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/knapsack.h"
#include "core/place/staircase.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using Counts64 = std::vector<int64_t>;

TEST(KeyTest, AddsLevelByLevelAndComparesCoarseFirst) {
  const KeyLayout layout(Counts64{100, 100, 100, 100});  // 7 bits each
  const auto touch = [&](int parent, size_t level) { return layout.Touch<int64_t>(parent, level); };
  EXPECT_EQ(layout.bits(), 28);
  EXPECT_EQ(touch(2, 3), 1);             // a host below the finest level
  EXPECT_EQ(touch(1, 3), 1 + (1 << 7));  // a host that lacks the finest level counts there too
  int64_t many_hosts = 0;
  for (int i = 0; i < 100; ++i) many_hosts += touch(2, 3);
  EXPECT_LT(many_hosts, touch(1, 2));  // one domain of a level outweighs all hosts
  EXPECT_EQ(layout.field(3).Of(many_hosts + touch(1, 2)), 100);
  EXPECT_EQ(layout.field(2).Of(many_hosts + touch(1, 2)), 1);
}

TEST(KeyTest, WideKeysAgreeWithNarrowOnes) {
  const KeyLayout layout(Counts64{3, 100, 70, 5});
  int64_t narrow = 0;
  Int128 middle = 0;
  Key256 wide;
  for (const auto& [parent, level] : {std::pair{-1, 1u}, {0, 3u}, {1, 2u}, {2, 3u}, {-1, 0u}}) {
    const int64_t next_narrow = narrow + layout.Touch<int64_t>(parent, level);
    const Key256 next_wide = wide + layout.Touch<Key256>(parent, level);
    EXPECT_EQ(next_narrow > narrow, next_wide > wide);
    narrow = next_narrow;
    middle += layout.Touch<Int128>(parent, level);
    wide = next_wide;
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(layout.field(i).Of(narrow), layout.field(i).Of(wide));
      EXPECT_EQ(layout.field(i).Of(middle), layout.field(i).Of(wide));
    }
  }
  EXPECT_LT(narrow, AboveAllKeys<int64_t>());
}

TEST(KeyTest, ALevelThatDoesNotCountTakesNoRoom) {
  const KeyLayout layout(Counts64{3, 0, 3});
  EXPECT_EQ(layout.bits(), 4);
  EXPECT_EQ(layout.Touch<int64_t>(0, 1), 0);
  EXPECT_EQ(layout.Touch<int64_t>(-1, 2), 5);
}

TEST(KeyTest, FieldsOfWideKeysCrossWords) {
  // Sixteen levels and the hosts, 14 bits each.
  const KeyLayout layout(Counts64(Topology::kMaxLevels + 1, kMaxGangSize));
  for (size_t level = 0; level <= Topology::kMaxLevels; ++level) {
    Key256 key{};
    for (int i = 0; i < 9'999; ++i) {
      key = key + layout.Touch<Key256>(static_cast<int>(level) - 1, level);
    }
    for (size_t other = 0; other <= Topology::kMaxLevels; ++other) {
      EXPECT_EQ(layout.field(other).Of(key), other == level ? 9'999 : 0);
    }
  }
}

TEST(KeyTest, CarriesAcrossWords) {
  Key256 sum = Key256::Bit(63) + Key256::Bit(63);
  EXPECT_EQ(sum, Key256::Bit(64));
  sum = Key256::Bit(127) + Key256::Bit(127);
  EXPECT_EQ(sum, Key256::Bit(128));
}

std::vector<int32_t> Spread(const std::vector<int32_t>& slots, int32_t members) {
  std::vector<HostSlots> hosts;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] > 0) hosts.push_back({HostId(static_cast<uint32_t>(i)), slots[i]});
  }
  std::vector<HostShare> shares;
  SpreadOverHosts(hosts, members, shares);
  std::vector<int32_t> taken(slots.size(), 0);
  for (const HostShare& share : shares) taken[share.host.index()] += share.members;
  return taken;
}

using Counts = std::vector<int32_t>;

TEST(HostGroupTest, MostMembersFillsTheLargestFirst) {
  const std::vector<HostSlots> hosts = {{HostId(0), 1}, {HostId(1), 3}, {HostId(2), 2}};
  EXPECT_EQ(MostMembers(hosts, 10), (Counts{0, 3, 5, 6}));
  EXPECT_EQ(MostMembers(hosts, 4), (Counts{0, 3, 4}));
  EXPECT_EQ(MostMembers({}, 4), Counts{0});
}

TEST(HostGroupTest, TheFirstHostTakesTheMostThatTheFewestHostsAllow) {
  EXPECT_EQ(Spread({2, 3, 4}, 4), (Counts{0, 0, 4}));  // one host does it
  EXPECT_EQ(Spread({2, 3, 4}, 5), (Counts{2, 3, 0}));  // two do, the first takes part
  EXPECT_EQ(Spread({2, 3, 4}, 7), (Counts{0, 3, 4}));  // only these two
  EXPECT_EQ(Spread({1, 1, 1}, 2), (Counts{1, 1, 0}));
  EXPECT_EQ(Spread({4, 4}, 5), (Counts{4, 1}));
}

using Stairs = Staircase<int64_t>;

std::vector<std::pair<int32_t, int64_t>> Pairs(const Stairs& stairs) {
  std::vector<std::pair<int32_t, int64_t>> out;
  for (const auto& step : stairs) out.emplace_back(step.most, step.key);
  return out;
}
using StepList = std::vector<std::pair<int32_t, int64_t>>;

TEST(StaircaseTest, MergingKeepsWhatIsCheaperThanAllThatGivesMore) {
  const Stairs a = {{0, 0}, {4, 10}, {6, 11}};
  const Stairs b = {{0, 0}, {5, 10}};
  StairMerger<int64_t> merger;
  EXPECT_EQ(Pairs(merger.Merge(a, b, 100)),
            (StepList{{0, 0}, {5, 10}, {6, 11}, {9, 20}, {11, 21}}));
  // Cut at what is asked for.
  EXPECT_EQ(Pairs(merger.Merge(a, b, 7)), (StepList{{0, 0}, {5, 10}, {6, 11}, {7, 20}}));
  EXPECT_EQ(Pairs(merger.Merge(GroundFloor<int64_t>(), a, 100)), Pairs(a));
}

// Stairs of random reach; keys have two digits, of which the tens come first.
Stairs RandomStairs(std::mt19937_64& random) {
  Stairs stairs = GroundFloor<int64_t>();
  for (auto steps = random() % 8; steps-- > 0;) {
    const Step<int64_t>& last = stairs.back();
    const auto more = static_cast<int32_t>(1 + random() % 4);
    stairs.push_back({last.most + more, last.key + 1 + static_cast<int64_t>(random() % 9)});
  }
  return stairs;
}

// A sum with too few members for its key is left out, wherever it stands; nothing else is.
TEST(StaircaseTest, MergingLeavesOutWhatHasTooFewMembers) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2'000; ++round) {
    const Stairs a = RandomStairs(random), b = RandomStairs(random);
    const auto limit = static_cast<int32_t>(1 + random() % 40);
    const auto per_ten = static_cast<int32_t>(random() % 9);
    const auto needed = [&](int64_t key) { return per_ten * static_cast<int32_t>(key / 10); };
    const int32_t reach = std::min(a.back().most + b.back().most, limit);
    std::vector<int64_t> least(static_cast<size_t>(reach) + 1, AboveAllKeys<int64_t>());
    for (const auto& first : a) {
      for (const auto& second : b) {
        const int64_t key = first.key + second.key;
        const auto most = std::min(first.most + second.most, reach);
        if (most < needed(key)) continue;
        for (int32_t k = 0; k <= most; ++k) {
          least[static_cast<size_t>(k)] = std::min(least[static_cast<size_t>(k)], key);
        }
      }
    }
    const Stairs merged = StairMerger<int64_t>().Merge(a, b, limit, needed);
    for (int32_t k = 0; k <= reach; ++k) {
      const bool reached = k <= merged.back().most;
      ASSERT_EQ(reached ? KeyOf(merged, k) : AboveAllKeys<int64_t>(), least[static_cast<size_t>(k)])
          << round << ": " << k;
    }
  }
}

TEST(StaircaseTest, KeysBetweenStepsAreThoseOfTheNextStep) {
  const Stairs stairs = {{0, 0}, {4, 10}, {6, 11}};
  EXPECT_EQ(KeyOf(stairs, 0), 0);
  EXPECT_EQ(KeyOf(stairs, 1), 10);
  EXPECT_EQ(KeyOf(stairs, 4), 10);
  EXPECT_EQ(KeyOf(stairs, 5), 11);
  Stairs cut = stairs;
  CutTo(5, cut);
  EXPECT_EQ(Pairs(cut), (StepList{{0, 0}, {4, 10}, {5, 11}}));
  CutTo(4, cut);
  EXPECT_EQ(Pairs(cut), (StepList{{0, 0}, {4, 10}}));
}

// A random tree of zones, leaves and hosts for the search.
class RandomTree {
 public:
  RandomTree(uint64_t seed, int hosts, int most_slots) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < hosts; ++i) {
      world_.AddHost("h" + std::to_string(i), static_cast<int64_t>(random() % (most_slots + 1)),
                     {"z" + std::to_string(random() % 3), "l" + std::to_string(random() % 6), ""});
    }
    const ShapeId shape = world_.Gpus(1);
    slots_ = FreeSlots(world_.cluster(), {}, shape);
  }

  TreeQuery Query(int32_t members) {
    return {world_.cluster().topology(), slots_, members, untouched_};
  }
  const SlotTree& slots() const { return slots_; }

 private:
  test::PlaceWorld world_;
  SlotTree slots_;
  const TouchedBefore untouched_;
};

template <class Key>
std::vector<HostShare> Solve(const TreeQuery& query, const KeyLayout& layout,
                             std::optional<CountBound> bound = std::nullopt) {
  TreeKnapsack<Key> knapsack(query, layout, query.topology.root(), int64_t{1} << 40, bound);
  std::vector<HostShare> taken;
  knapsack.Trace(taken);
  std::sort(taken.begin(), taken.end());
  return taken;
}

// Where labels are missing a parent and its children need not be of neighbouring levels.
TEST(SubtreeTest, EndsBeforeTheFirstDomainThatIsNotBelowTheRoot) {
  std::mt19937_64 random(7);
  test::PlaceWorld world;
  const auto label = [&](char kind) {
    const auto value = static_cast<int>(random() % 4);
    return value == 0 ? std::string() : kind + std::to_string(value);
  };
  for (int i = 0; i < 200; ++i) {
    world.AddHost("h" + std::to_string(i), 1, {label('z'), label('l'), label('r')});
  }
  const Topology& topology = world.cluster().topology();
  ASSERT_GT(topology.domains().size(), 50u);
  for (uint32_t root = 0; root < topology.domains().size(); ++root) {
    uint32_t end = root + 1;
    // Ids are depth first, so whatever comes next and is below has its parent inside already.
    while (end < topology.domains().size() && topology.domains()[end].parent >= DomainId(root)) {
      ++end;
    }
    EXPECT_EQ(SubtreeEnd(topology, DomainId(root)), end) << topology.Path(DomainId(root));
  }
}

// The three key types give one answer.
TEST(KnapsackTest, AllKeyTypesPlaceAlike) {
  RandomTree tree(1, 40, 5);
  const TreeQuery query = tree.Query(60);
  const KeyLayout layout(Counts64(query.topology.levels().size() + 1, 40));
  const auto narrow = Solve<int64_t>(query, layout);
  EXPECT_EQ(narrow, Solve<Int128>(query, layout));
  EXPECT_EQ(narrow, Solve<Key256>(query, layout));
}

// Levels that follow from the next coarser one need not be counted.
TEST(KnapsackTest, WhatNeedNotBeCountedChangesNothing) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    RandomTree tree(seed, 12, 4);
    for (int32_t members = 1; members <= tree.slots().Sum(); members += 3) {
      const TreeQuery query = tree.Query(members);
      const KeyLayout full(Counts64(query.topology.levels().size() + 1, 40));
      const KeyLayout lean(Census(query, query.topology.root()).Most(true));
      ASSERT_EQ(Solve<int64_t>(query, full), Solve<int64_t>(query, lean)) << seed;
    }
  }
}

TEST(KnapsackTest, AboveItsBudgetItGivesUp) {
  RandomTree tree(1, 40, 5);
  const TreeQuery query = tree.Query(60);
  const KeyLayout layout(Counts64(query.topology.levels().size() + 1, 40));
  EXPECT_FALSE((TreeKnapsack<int64_t>(query, layout, query.topology.root(), 10).finished()));
}

// The bound drops states, never the answer.
TEST(CountBoundTest, PrunedAndUnprunedSearchesAgree) {
  int64_t cells = 0, pruned_cells = 0;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    RandomTree tree(seed, 30, 5);
    for (int32_t members = 1; members <= tree.slots().Sum(); members += 5) {
      const TreeQuery query = tree.Query(members);
      const DomainId root = query.topology.root();
      const Census census(query, root);
      const KeyLayout layout(census.Most(true));
      const TreeKnapsack<int64_t> free(query, layout, root, int64_t{1} << 40);
      // What sums say of the coarsest level that counts is what the tables say.
      size_t coarsest = 0;
      while (coarsest < query.topology.levels().size() && !layout.Counts(coarsest)) ++coarsest;
      if (layout.Counts(coarsest)) {
        ASSERT_EQ(census.Fewest(coarsest), layout.field(coarsest).Of(free.Best())) << seed;
      }
      Counts64 fewest;
      for (size_t i = 0; i < query.topology.levels().size(); ++i) {
        fewest.push_back(layout.Counts(i) ? layout.field(i).Of(free.Best()) : -1);
      }
      fewest.push_back(-1);
      const CountBound bound(census, layout, fewest, members);
      const TreeKnapsack<int64_t> pruned(query, layout, root, int64_t{1} << 40, bound);
      ASSERT_EQ(free.Best(), pruned.Best()) << seed << " " << members;
      ASSERT_EQ(Solve<int64_t>(query, layout), Solve<int64_t>(query, layout, bound)) << seed;
      cells += free.cells();
      pruned_cells += pruned.cells();
    }
  }
  EXPECT_LT(pruned_cells, cells);
  std::printf("cells: %lld, pruned %lld\n", static_cast<long long>(cells),
              static_cast<long long>(pruned_cells));
}

}  // namespace
}  // namespace phalanx

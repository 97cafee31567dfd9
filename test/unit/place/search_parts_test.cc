// The parts of the exact search: keys, host groups, predicted cells.
#include <gtest/gtest.h>

#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/knapsack.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

TEST(KeyTest, AddsLevelByLevelAndComparesCoarseFirst) {
  const KeyLayout layout(3, 100);  // 7 bits each
  const auto touch = [&](int parent, size_t level) { return layout.Touch<int64_t>(parent, level); };
  EXPECT_EQ(layout.bits(), 28);
  EXPECT_EQ(touch(2, 3), 1);             // a host below the finest level
  EXPECT_EQ(touch(1, 3), 1 + (1 << 7));  // a host that lacks the finest level counts there too
  int64_t many_hosts = 0;
  for (int i = 0; i < 100; ++i) many_hosts += touch(2, 3);
  EXPECT_LT(many_hosts, touch(1, 2));  // one domain of a level outweighs all hosts
}

TEST(KeyTest, WideKeysAgreeWithNarrowOnes) {
  const KeyLayout layout(3, 100);
  int64_t narrow = 0;
  Key256 wide;
  for (const auto& [parent, level] : {std::pair{-1, 1u}, {0, 3u}, {1, 2u}, {2, 3u}, {-1, 0u}}) {
    const int64_t next_narrow = narrow + layout.Touch<int64_t>(parent, level);
    const Key256 next_wide = wide + layout.Touch<Key256>(parent, level);
    EXPECT_EQ(next_narrow > narrow, next_wide > wide);
    narrow = next_narrow;
    wide = next_wide;
  }
}

TEST(KeyTest, CarriesAcrossWords) {
  Key256 sum = Key256::Bit(63) + Key256::Bit(63);
  EXPECT_EQ(sum, Key256::Bit(64));
  sum = Key256::Bit(127) + Key256::Bit(127);
  EXPECT_EQ(sum, Key256::Bit(128));
  // Sixteen levels and the hosts at 14 bits each fit.
  EXPECT_LT(KeyLayout(Topology::kMaxLevels, kMaxGangSize).bits(), 256);
}

std::vector<int32_t> Spread(const std::vector<int32_t>& slots, int32_t members) {
  std::vector<HostSlots> hosts;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] > 0) hosts.push_back({HostId(static_cast<uint32_t>(i)), slots[i]});
  }
  std::vector<int32_t> taken(slots.size(), 0);
  SpreadOverHosts(hosts, members, taken);
  return taken;
}

using Counts = std::vector<int32_t>;

TEST(HostGroupTest, FewestHostsFillsTheLargestFirst) {
  const std::vector<HostSlots> hosts = {{HostId(0), 1}, {HostId(1), 3}, {HostId(2), 2}};
  EXPECT_EQ(FewestHosts(hosts, 10), (Counts{0, 1, 1, 1, 2, 2, 3}));
  EXPECT_EQ(FewestHosts(hosts, 4), (Counts{0, 1, 1, 1, 2}));
  EXPECT_EQ(FewestHosts({}, 4), Counts{0});
}

TEST(HostGroupTest, TheFirstHostTakesTheMostThatTheFewestHostsAllow) {
  EXPECT_EQ(Spread({2, 3, 4}, 4), (Counts{0, 0, 4}));  // one host does it
  EXPECT_EQ(Spread({2, 3, 4}, 5), (Counts{2, 3, 0}));  // two do, the first takes part
  EXPECT_EQ(Spread({2, 3, 4}, 7), (Counts{0, 3, 4}));  // only these two
  EXPECT_EQ(Spread({1, 1, 1}, 2), (Counts{1, 1, 0}));
  EXPECT_EQ(Spread({4, 4}, 5), (Counts{4, 1}));
}

// The budget is decided on the prediction: the tables must not take more.
TEST(PredictCellsTest, TheTablesTakeNoMoreThanPredicted) {
  test::PlaceWorld world;
  for (int i = 0; i < 30; ++i) {
    world.AddHost("h" + std::to_string(i), 1 + i % 5,
                  {"z" + std::to_string(i % 2), "l" + std::to_string(i % 7), ""});
  }
  const ShapeId shape = world.Gpus(1);
  const Topology& topology = world.cluster().topology();
  const SlotTree slots = FreeSlots(world.cluster(), {}, shape, 40);
  const KeyLayout layout(topology.levels().size(), 40);
  const TouchedBefore untouched;
  const TreeKnapsack<int64_t> knapsack(topology, slots, layout, untouched, topology.root(), 40);
  EXPECT_LE(knapsack.cells(), PredictCells(topology, slots, topology.root(), 40));
  EXPECT_GT(knapsack.cells(), 0);
}

// The three key types give one answer, and so does a trace that keeps every table.
TEST(KnapsackTest, AllKeyTypesPlaceAlike) {
  test::PlaceWorld world;
  for (int i = 0; i < 40; ++i) {
    world.AddHost("h" + std::to_string(i), i % 6,
                  {"z" + std::to_string(i % 3), "l" + std::to_string(i % 11), ""});
  }
  const ShapeId shape = world.Gpus(1);
  const Topology& topology = world.cluster().topology();
  const SlotTree slots = FreeSlots(world.cluster(), {}, shape, 70);
  const KeyLayout layout(topology.levels().size(), 40);
  const TouchedBefore untouched;
  std::vector<int32_t> narrow(slots.hosts(), 0), middle(slots.hosts(), 0), wide(slots.hosts(), 0);
  TreeKnapsack<int64_t>(topology, slots, layout, untouched, topology.root(), 70).Trace(narrow);
  TreeKnapsack<Int128>(topology, slots, layout, untouched, topology.root(), 70).Trace(middle);
  TreeKnapsack<Key256>(topology, slots, layout, untouched, topology.root(), 70).Trace(wide);
  EXPECT_EQ(narrow, middle);
  EXPECT_EQ(narrow, wide);
}

}  // namespace
}  // namespace phalanx

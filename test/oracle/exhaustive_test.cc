// Small worlds of racks up to symmetry, each gang in them against all ways to split it: those of
// one rack, and some of those of two and three. All of them are looked at in test/long/oracle.
#include <gtest/gtest.h>

#include <set>

#include "oracle/every_world.h"
#include "oracle/world_checker.h"

namespace phalanx::oracle {
namespace {

// Else worlds are missing from what is called exhaustive, or are looked at twice.
TEST(ExhaustiveOracleTest, WorldsUpToSymmetryAreAsManyAsBurnsideSays) {
  for (const WorldBounds bounds : {WorldBounds{1, 1, 4}, WorldBounds{1, 3, 4}, WorldBounds{2, 2, 1},
                                   WorldBounds{2, 3, 4}, WorldBounds{3, 2, 4}, WorldBounds{}}) {
    const std::vector<Racks> worlds = EveryWorld(bounds);
    EXPECT_EQ(std::ssize(worlds), CountWorlds(bounds));
    EXPECT_EQ(std::set(worlds.begin(), worlds.end()).size(), worlds.size());
  }
  EXPECT_EQ(CountWorlds({1, 1, 4}), 5);   // 0 .. 4 free
  EXPECT_EQ(CountWorlds({1, 3, 4}), 55);  // 5 + 15 + 35 multisets
  EXPECT_EQ(CountWorlds({}), 30'855);     // 55 + 1,540 + 29,260 multisets of these 55
}

TEST(ExhaustiveOracleTest, EveryWorldOfOneRackAndSomeOfMore) {
  constexpr size_t kEvery[] = {1, 10, 400};  // by racks
  WorldChecker checker(1);
  const std::vector<Racks> worlds = EveryWorld({});
  for (size_t i = 0; i < worlds.size() && !HasFailure(); ++i) {
    if (i % kEvery[worlds[i].size() - 1] == 0) checker.Check(worlds[i]);
  }
  EXPECT_EQ(checker.coverage().worlds, 55 + 154 + 74);
  checker.coverage().Print("small worlds");
}

}  // namespace
}  // namespace phalanx::oracle

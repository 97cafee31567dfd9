// Every world of at most three racks of at most three hosts of four devices, up to symmetry, with
// every gang of one role, with and without segments: the search against all ways to split the gang.
// In parts, so that they run side by side.
#include <gtest/gtest.h>

#include <string>

#include "oracle/every_world.h"
#include "oracle/world_checker.h"

namespace phalanx::oracle {
namespace {

constexpr size_t kParts = 8;

class EverySmallWorld : public testing::TestWithParam<size_t> {};

TEST_P(EverySmallWorld, AndEveryGang) {
  const std::vector<Racks> worlds = EveryWorld({});
  ASSERT_EQ(std::ssize(worlds), CountWorlds({}));
  WorldChecker checker(GetParam());
  int64_t due = 0;
  for (size_t i = GetParam(); i < worlds.size() && !HasFailure(); i += kParts, ++due) {
    checker.Check(worlds[i]);
  }
  EXPECT_EQ(checker.coverage().worlds, due);
  checker.coverage().Print("part " + std::to_string(GetParam() + 1) + " of 8");
}

INSTANTIATE_TEST_SUITE_P(Parts, EverySmallWorld, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace phalanx::oracle

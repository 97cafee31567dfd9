// First fit and nested best fit do what the textbook says, on worlds small enough to check by hand;
// and Phalanx, where it has proven its answer, is never behind them.
#include "sim/baseline/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/place_world.h"

namespace phalanx::sim {
namespace {

using test::PlaceWorld;

// "a:2 b:1", or "refused".
std::string Where(PlaceWorld& world, Baseline baseline, const PlacementRequest& request) {
  std::optional<Placement> placement = PlaceBy(baseline, world.cluster(), request);
  if (!placement) return "refused";
  return world.Where({*std::move(placement), ShapeId::None(), 0});
}

std::string FirstFitOf(PlaceWorld& world, const PlacementRequest& request) {
  return Where(world, Baseline::kFirstFit, request);
}
std::string NestedOf(PlaceWorld& world, const PlacementRequest& request) {
  return Where(world, Baseline::kNestedBestFit, request);
}

PlacementRequest Members(PlaceWorld& world, int32_t count, int64_t gpus,
                         const std::string& required = "") {
  return {.roles = {{world.Gpus(gpus), count}}, .required_level = required};
}

// A leaf of `hosts` wholly free hosts: leaf "l5" has hosts "l5-0", "l5-1", ...
void AddLeaf(PlaceWorld& world, const std::string& leaf, int hosts, const std::string& zone = "z") {
  for (int i = 0; i < hosts; ++i) {
    world.AddHost(leaf + "-" + std::to_string(i), 8, {zone, leaf, ""});
  }
}

TEST(FirstFit, GoesByTheNameOfTheHostNotByTheTree) {
  PlaceWorld world;
  world.AddHost("b", 8, {"z", "l1", ""});
  world.AddHost("c", 8, {"z", "l1", ""});
  world.AddHost("a", 8, {"z", "l2", ""});
  EXPECT_EQ(FirstFitOf(world, Members(world, 2, 8)), "b:1 a:1");
}

TEST(FirstFit, FillsAHostBeforeTheNext) {
  PlaceWorld world;
  world.AddHost("a", 3);
  world.AddHost("b", 1);
  world.AddHost("c", 8);
  EXPECT_EQ(FirstFitOf(world, Members(world, 4, 2)), "a:1 c:3");
}

TEST(FirstFit, StaysInTheFirstDomainOfTheRequiredLevelThatTakesAll) {
  PlaceWorld world;
  AddLeaf(world, "l1", 2);
  AddLeaf(world, "l2", 3);
  AddLeaf(world, "l3", 3);
  EXPECT_EQ(FirstFitOf(world, Members(world, 3, 8, "leaf")), "l2-0:1 l2-1:1 l2-2:1");
  EXPECT_EQ(FirstFitOf(world, Members(world, 4, 8, "leaf")), "refused");
  EXPECT_EQ(FirstFitOf(world, Members(world, 2, 4, "host")), "l1-0:2");
  EXPECT_EQ(FirstFitOf(world, Members(world, 1, 8, "spine")), "refused") << "no such level";
}

TEST(FirstFit, TakesRolesInTheirOrderAndLooksNeitherAheadNorBack) {
  PlaceWorld world;
  world.AddHost("a", 8);
  world.AddHost("b", 4);
  PlacementRequest request{.roles = {{world.Gpus(4), 1}, {world.Gpus(8), 1}}};
  EXPECT_EQ(FirstFitOf(world, request), "refused") << "the small one took the large one's host";
  std::swap(request.roles[0], request.roles[1]);
  EXPECT_EQ(FirstFitOf(world, request), "a:1 b:1");
}

TEST(FirstFit, LeavesOutHostsThatThePlanLeavesOut) {
  PlaceWorld world;
  world.AddHost("a", 8);
  world.AddHost("b", 8);
  PlacementRequest request = Members(world, 1, 8);
  world.cluster();
  request.exclusions.push_back({request.roles[0].shape, world.Id("a"), "SomePlugin"});
  EXPECT_EQ(FirstFitOf(world, request), "b:1");
  EXPECT_EQ(NestedOf(world, request), "b:1");
}

TEST(NestedBestFit, TakesTheLargestWholeAndThenTheTightest) {
  PlaceWorld world;
  for (const int size : {5, 4, 2, 1}) AddLeaf(world, "l" + std::to_string(size), size);
  // 8 = 5 whole + 3 in the smallest of 4 and up; 6 = 5 + 1 in the smallest of all.
  EXPECT_EQ(NestedOf(world, Members(world, 8, 8)),
            "l4-0:1 l4-1:1 l4-2:1 l5-0:1 l5-1:1 l5-2:1 l5-3:1 l5-4:1");
  EXPECT_EQ(NestedOf(world, Members(world, 6, 8)), "l1-0:1 l5-0:1 l5-1:1 l5-2:1 l5-3:1 l5-4:1");
}

// The published example of the rule: 12 pods over 10 + 10 free are 10 + 2.
TEST(NestedBestFit, TwelveOverTenAndTenAreTenAndTwo) {
  PlaceWorld world;
  AddLeaf(world, "l1", 10);
  AddLeaf(world, "l2", 10);
  const auto placement = PlaceBy(Baseline::kNestedBestFit, world.cluster(), Members(world, 12, 8));
  ASSERT_TRUE(placement);
  const auto in_l1 = std::count_if(placement->slots.begin(), placement->slots.end(),
                                   [](const SlotsOnHost& slot) { return slot.host < HostId(10); });
  EXPECT_EQ(in_l1, 10);
  EXPECT_EQ(placement->slots.size(), 12u);
}

TEST(NestedBestFit, TakesTheTightestDomainOfTheFinestLevelThatHoldsAll) {
  PlaceWorld world;
  AddLeaf(world, "l1", 4, "y");
  AddLeaf(world, "l2", 3, "y");
  AddLeaf(world, "l3", 3, "z");
  AddLeaf(world, "l4", 2, "z");
  EXPECT_EQ(NestedOf(world, Members(world, 3, 8)), "l2-0:1 l2-1:1 l2-2:1") << "a leaf, the first";
  EXPECT_EQ(NestedOf(world, Members(world, 5, 8)), "l3-0:1 l3-1:1 l3-2:1 l4-0:1 l4-1:1")
      << "the zone of 5, not that of 7";
}

// With a required level it begins there: the tightest zone is the most shredded one.
TEST(NestedBestFit, LooksAtTheRequiredLevelAloneUnlessAFinerOneIsPreferred) {
  PlaceWorld world;
  AddLeaf(world, "l1", 2, "y");
  AddLeaf(world, "l2", 2, "y");
  AddLeaf(world, "l3", 3, "z");
  AddLeaf(world, "l4", 3, "z");
  PlacementRequest request = Members(world, 3, 8, "zone");
  EXPECT_EQ(NestedOf(world, request), "l1-0:1 l1-1:1 l2-0:1");
  request.preferred_level = "leaf";
  EXPECT_EQ(NestedOf(world, request), "l3-0:1 l3-1:1 l3-2:1");
  request.preferred_level = "host";
  request.roles[0].count = 2;
  EXPECT_EQ(NestedOf(world, request), "l1-0:1 l1-1:1") << "no host takes both";
  EXPECT_EQ(NestedOf(world, {request.roles, "leaf", "zone"}), "l1-0:1 l1-1:1")
      << "a preferred level that is coarser than the required one is none";
  request.required_level = "leaf";
  request.roles[0].count = 4;
  EXPECT_EQ(NestedOf(world, request), "refused");
}

TEST(NestedBestFit, KeepsSegmentsWhole) {
  PlaceWorld world;
  AddLeaf(world, "l1", 5);
  AddLeaf(world, "l2", 5);
  Shape shape;
  shape.segment = {4, "leaf", ""};
  const ShapeId member = world.Member({{test::kGpu, 8}}, shape);
  EXPECT_EQ(NestedOf(world, {.roles = {{member, 8}}}),
            "l1-0:1 l1-1:1 l1-2:1 l1-3:1 l2-0:1 l2-1:1 l2-2:1 l2-3:1");
  EXPECT_EQ(NestedOf(world, {.roles = {{member, 12}}}), "refused");
  EXPECT_EQ(NestedOf(world, {.roles = {{member, 6}}}), "refused") << "no whole segments";
  EXPECT_EQ(FirstFitOf(world, {.roles = {{member, 8}}}),
            "l1-0:1 l1-1:1 l1-2:1 l1-3:1 l1-4:1 l2-0:1 l2-1:1 l2-2:1")
      << "first fit knows no segments";
}

TEST(NestedBestFit, PutsALeaderBesideItsWorkers) {
  PlaceWorld world;
  AddLeaf(world, "l1", 3);
  AddLeaf(world, "l2", 4);
  const PlacementRequest request{.roles = {{world.Gpus(1), 1}, {world.Gpus(8), 3}}};
  EXPECT_EQ(NestedOf(world, request), "l2-0:1 l2-1:1 l2-2:1 l2-3:1");
}

// One level of leaves: largest first is the fewest leaves there can be, and the rule goes so far.
// In two zones it may not, and Phalanx must not be behind in either.
class Random : public ::testing::TestWithParam<int> {};

TEST_P(Random, OneLevelIsAsGoodAsItGetsAndPhalanxIsNeverBehind) {
  std::mt19937 random(static_cast<uint32_t>(GetParam()));
  const auto draw = [&random](uint32_t below) { return static_cast<int>(random() % below); };
  PlaceWorld world;
  std::vector<int> free;
  const int zones = 1 + draw(2);
  for (int leaf = 0; leaf < 6; ++leaf) {
    const std::string name = "l" + std::to_string(leaf);
    free.push_back(draw(5));
    AddLeaf(world, name, free.back(), zones == 1 ? "z" : "z" + std::to_string(draw(2)));
    world.AddHost(name + "-busy", 0, {"z", name, ""});
  }
  const int most = std::accumulate(free.begin(), free.end(), 0);
  const int members = 1 + draw(static_cast<uint32_t>(std::max(most, 1)));
  const PlacementRequest request = Members(world, members, 8);
  const PlacementAnswer best = world.Place(request);
  const auto nested = PlaceBy(Baseline::kNestedBestFit, world.cluster(), request);
  const auto first = PlaceBy(Baseline::kFirstFit, world.cluster(), request);
  ASSERT_EQ(best.placement() != nullptr, members <= most);
  ASSERT_EQ(nested.has_value(), members <= most);
  ASSERT_EQ(first.has_value(), members <= most);
  if (members > most) return;
  EXPECT_LE(best.placement()->touched, nested->touched);
  EXPECT_LE(best.placement()->touched, first->touched);
  if (zones > 1) return;
  std::sort(free.rbegin(), free.rend());
  int32_t leaves = 0;
  for (int left = members; left > 0; left -= free[static_cast<size_t>(leaves++)]) {
  }
  EXPECT_EQ(nested->touched[1], leaves);
  EXPECT_EQ(best.placement()->touched[1], leaves);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Random, ::testing::Range(1, 201));

}  // namespace
}  // namespace phalanx::sim

// Members of several shapes: role after role.
#include <gtest/gtest.h>

#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::kGpu;
using test::PlaceWorld;

PlacementRequest Roles(std::vector<RoleRequest> roles, std::string required = "") {
  PlacementRequest request;
  request.roles = std::move(roles);
  request.required_level = std::move(required);
  return request;
}

int32_t Placed(const PlacementAnswer& answer, ShapeId shape) {
  int32_t sum = 0;
  for (const SlotsOnHost& slot : answer.placement()->slots) {
    if (slot.shape == shape) sum += slot.count;
  }
  return sum;
}

TEST(PlaceRolesTest, TheLeaderJoinsItsWorkers) {
  PlaceWorld world;
  for (const char* name : {"a0", "a1"}) world.AddHost(name, 0, {"z", "l", "r1"});
  for (const char* name : {"b0", "b1"}) world.AddHost(name, 8, {"z", "l", "r2"});
  const ShapeId leader = world.Member({{"cpu", 2'000}});
  const ShapeId worker = world.Gpus(8);
  const PlacementAnswer answer = world.Place(Roles({{leader, 1}, {worker, 2}}));
  EXPECT_EQ(world.Where(answer), "b0:2 b1:1");
  EXPECT_EQ(Placed(answer, leader), 1);
  EXPECT_EQ(Placed(answer, worker), 2);
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kAll);
  // Slots of one host come in the order of the roles in the request.
  EXPECT_EQ(answer.placement()->slots.front().shape, leader);
}

// GB-20: 24 GPUs are needed, 16 are free; the gang is not read as four copies of the leader.
TEST(PlaceRolesTest, EachRoleCountsByItself) {
  PlaceWorld world;
  world.AddHost("a", 8);
  world.AddHost("b", 8);
  const ShapeId leader = world.Member({{"cpu", 2'000}});
  const ShapeId worker = world.Gpus(8);
  const PlacementAnswer answer = world.Place(Roles({{leader, 1}, {worker, 3}}));
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refused, worker);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kCapacity);
  EXPECT_EQ(answer.refusal()->have, 2);
  EXPECT_EQ(answer.refusal()->need, 3);
  EXPECT_EQ(answer.refusal()->detail, "16 of 24");
  EXPECT_EQ(answer.refusal()->proven, ProvenThrough::kFeasibility);
}

// GB-03: nine of ten fit; the tenth asks for a label that no node carries.
TEST(PlaceRolesTest, AMemberThatNoNodeTakesIsNamed) {
  PlaceWorld world;
  for (int i = 0; i < 10; ++i) world.AddHost("n" + std::to_string(i), 1);
  Shape special;
  special.node_selector = {{"tier", "gold"}};
  const ShapeId tenth = world.Member({{kGpu, 1}}, special);
  const PlacementAnswer answer = world.Place(Roles({{world.Gpus(1), 9}, {tenth, 1}}));
  EXPECT_EQ(answer.refused, tenth);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kNoSuchNode);
  EXPECT_EQ(answer.refusal()->exclusions,
            (std::vector<Exclusion>{{ExclusionCause::kSelector, "tier=gold", 10}}));
}

TEST(PlaceRolesTest, TogetherTheyAskForMoreThanIsFree) {
  PlaceWorld world;
  world.AddHost("a", 8);
  world.AddHost("b", 8);
  const ShapeId large = world.Gpus(8);
  const PlacementAnswer answer = world.Place(Roles({{large, 2}, {world.Gpus(4), 1}}));
  EXPECT_EQ(answer.refused, large);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kCapacity);
  EXPECT_EQ(answer.refusal()->have, 1);
  EXPECT_EQ(answer.refusal()->need, 2);
  EXPECT_EQ(answer.refusal()->subject, kGpu);
  EXPECT_EQ(answer.refusal()->detail, "16 of 20");
  EXPECT_EQ(answer.refusal()->proven, ProvenThrough::kFeasibility);
}

//   rack r1: GPUs, no big CPU host       rack r2: CPU only
TEST(PlaceRolesTest, NoDomainOfTheLevelTakesEachRole) {
  PlaceWorld world;
  world.AddHost("a", 8, {"z", "l", "r1"});
  world.AddHost("b", 0, {"z", "l", "r2"}).allocatable["cpu"] = 500'000;
  const ShapeId worker = world.Gpus(8);
  const ShapeId loader = world.Member({{"cpu", 200'000}});
  const PlacementAnswer answer = world.Place(Roles({{loader, 1}, {worker, 1}}, "rack"));
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kTopology);
  EXPECT_EQ(answer.refusal()->level, "rack");
  EXPECT_EQ(answer.refusal()->proven, ProvenThrough::kFeasibility);
  EXPECT_NE(world.Place(Roles({{loader, 1}, {worker, 1}}, "leaf")).placement(), nullptr);
}

// One large and two medium members; the hosts have 5 + 5 free, so nothing goes although the sum
// would do (4 + 2 x 3 = 10 of 10): only one medium member is left a place.
TEST(PlaceRolesTest, ARefusalOfFewMembersIsProven) {
  PlaceWorld world;
  world.AddHost("a", 5);
  world.AddHost("b", 5);
  const ShapeId large = world.Gpus(4);
  const ShapeId medium = world.Gpus(3);
  const PlacementAnswer answer = world.Place(Roles({{medium, 2}, {large, 1}}));
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kFragmentation);
  EXPECT_EQ(answer.refusal()->proven, ProvenThrough::kFeasibility);
  EXPECT_EQ(answer.refused, medium);
  EXPECT_EQ(answer.refusal()->have, 1);
  EXPECT_EQ(answer.refusal()->need, 2);
}

// The large member may go to both hosts, the picky one only to the host that the large one takes
// first: the second order of the roles finds it.
TEST(PlaceRolesTest, ARoleWithFewHostsIsTriedFirstWhereNeeded) {
  PlaceWorld world;
  world.AddHost("a", 8).labels["disk"] = "local";
  world.AddHost("b", 8);
  Shape picky;
  picky.node_selector = {{"disk", "local"}};
  const ShapeId small = world.Member({{kGpu, 4}}, picky);
  const PlacementAnswer answer = world.Place(Roles({{world.Gpus(8), 1}, {small, 1}}));
  ASSERT_NE(answer.placement(), nullptr);
  EXPECT_EQ(world.Where(answer), "a:1 b:1");
}

// The same, but many of each: too many states for the exact search, so nothing is claimed.
TEST(PlaceRolesTest, ARefusalOfManyOfEachIsNotProven) {
  PlaceWorld world;
  for (int i = 0; i < 40; ++i) world.AddHost("n" + std::to_string(i), 5);
  const PlacementAnswer answer = world.Place(Roles({{world.Gpus(4), 20}, {world.Gpus(3), 40}}));
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->proven, ProvenThrough::kNothing);
}

// PT-01: 9 of 9 cores. Only with the leader beside one worker on the host of three is it found.
TEST(PlaceRolesTest, TheOneExactPackingIsFound) {
  PlaceWorld world;
  for (const auto& [name, cores] : {std::pair{"a", 2}, {"b", 4}, {"c", 3}}) {
    world.AddHost(name, 0).allocatable["cpu"] = cores * 1'000;
  }
  const ShapeId leader = world.Member({{"cpu", 1'000}});
  const ShapeId worker = world.Member({{"cpu", 2'000}});
  const PlacementAnswer answer = world.Place(Roles({{leader, 1}, {worker, 4}}));
  ASSERT_NE(answer.placement(), nullptr);
  EXPECT_EQ(world.Where(answer), "a:1 b:2 c:2");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kAll);
}

// Greedily the workers fill the first rack (two hosts) and the leader, who needs a large disk,
// opens a second; together they go into the rack whose hosts have both.
TEST(PlaceRolesTest, RolesThatFitInOneRackTogetherAreNotSpread) {
  PlaceWorld world;
  for (const char* name : {"a0", "a1"}) world.AddHost(name, 8, {"z", "l", "r1"});
  for (const char* name : {"b0", "b1", "b2"}) world.AddHost(name, 8, {"z", "l", "r2"});
  world.nodes()[4].labels["disk"] = "large";
  Shape disk;
  disk.node_selector = {{"disk", "large"}};
  const ShapeId leader = world.Member({{kGpu, 8}}, disk);
  const PlacementAnswer answer = world.Place(Roles({{leader, 1}, {world.Gpus(8), 2}}));
  ASSERT_NE(answer.placement(), nullptr);
  EXPECT_EQ(world.Where(answer), "b0:1 b1:1 b2:1");
}

TEST(PlaceRolesTest, TheOrderOfRolesDoesNotMatter) {
  PlaceWorld world;
  for (int i = 0; i < 6; ++i) {
    world.AddHost("n" + std::to_string(i), 3 + i, {"z", "l" + std::to_string(i % 2), ""});
  }
  const RoleRequest a{world.Gpus(3), 3};
  const RoleRequest b{world.Gpus(2), 4};
  const PlacementAnswer one = world.Place(Roles({a, b}));
  const PlacementAnswer other = world.Place(Roles({b, a}));
  ASSERT_NE(one.placement(), nullptr);
  EXPECT_EQ(world.Where(one), world.Where(other));
  EXPECT_EQ(one.placement()->touched, other.placement()->touched);
}

}  // namespace
}  // namespace phalanx

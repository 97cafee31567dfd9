// Refusals: codes and numbers.
#include <gtest/gtest.h>

#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::kGpu;
using test::PlaceWorld;
using Exclusions = std::vector<Exclusion>;

PlacementRequest Gang(ShapeId shape, int32_t count, std::string required = "") {
  PlacementRequest request;
  request.roles = {{shape, count}};
  request.required_level = std::move(required);
  return request;
}

TEST(RefusalTest, CapacityGivesMembersAndTheScarcestResource) {
  PlaceWorld world;
  world.AddHost("a", 6);
  world.AddHost("b", 3);
  const PlacementAnswer answer = world.Place(Gang(world.Gpus(4), 3));
  const Reason& reason = *answer.refusal();
  EXPECT_EQ(reason.code, ReasonCode::kCapacity);
  EXPECT_EQ(reason.have, 1);
  EXPECT_EQ(reason.need, 3);
  EXPECT_EQ(reason.subject, kGpu);
  EXPECT_EQ(reason.detail, "9 of 12");
  EXPECT_FALSE(reason.never);  // 8 + 8 when empty
  EXPECT_EQ(reason.proven, ProvenThrough::kFeasibility);
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kResourceInUse, kGpu, 1}}));
}

// GB-04: free GPUs 6, 2, 2, 2; 3 members of 4. Twelve of twelve by the sum, one of three by shape.
TEST(RefusalTest, FragmentationCountsPlaceableMembers) {
  PlaceWorld world;
  world.AddHost("n1", 6);
  for (const char* name : {"n2", "n3", "n4"}) world.AddHost(name, 2);
  const Reason reason = *world.Place(Gang(world.Gpus(4), 3)).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kFragmentation);
  EXPECT_EQ(reason.have, 1);
  EXPECT_EQ(reason.need, 3);
  EXPECT_FALSE(reason.never);
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kResourceInUse, kGpu, 3}}));
}

TEST(RefusalTest, TopologyNamesTheBestDomain) {
  PlaceWorld world;
  for (const char* name : {"a0", "a1", "a2"}) world.AddHost(name, 8, {"z", "l", "r1"});
  for (const char* name : {"b0", "b1"}) world.AddHost(name, 8, {"z", "l", "r2"});
  world.AddHost("c0", 0, {"z", "l", "r2"});
  world.AddHost("x", 8, {"z", "l", ""});
  const Reason reason = *world.Place(Gang(world.Gpus(8), 5, "rack")).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kTopology);
  EXPECT_EQ(reason.level, "rack");
  EXPECT_EQ(reason.domain, "z/l/r1");
  EXPECT_EQ(reason.have, 3);
  EXPECT_EQ(reason.need, 5);
  EXPECT_TRUE(reason.never);  // both racks have three hosts
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kLevelMissing, "rack", 1},
                                           {ExclusionCause::kResourceInUse, kGpu, 1}}));
}

// What frees up later is no "never".
TEST(RefusalTest, TopologyIsNotForEverWhenAnEmptyDomainWouldDo) {
  PlaceWorld world;
  for (const char* name : {"a0", "a1", "a2"}) {
    world.AddHost(name, name[1] == '2' ? 0 : 8, {"z", "l", "r1"});
  }
  world.AddHost("b0", 8, {"z", "l", "r2"});
  const Reason reason = *world.Place(Gang(world.Gpus(8), 3, "rack")).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kTopology);
  EXPECT_EQ(reason.have, 2);
  EXPECT_FALSE(reason.never);
}

// Two racks of two hosts would hold four members, but no rack will: that is the reason, however
// little is free just now.
TEST(RefusalTest, WhatMakesItImpossibleIsToldRatherThanWhatIsShortNow) {
  PlaceWorld world;
  for (const char* name : {"a0", "a1"}) world.AddHost(name, 0, {"z", "l", "r1"});
  for (const char* name : {"b0", "b1"}) world.AddHost(name, 8, {"z", "l", "r2"});
  const Reason reason = *world.Place(Gang(world.Gpus(8), 4, "rack")).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kTopology);
  EXPECT_EQ(reason.domain, "z/l/r2");
  EXPECT_EQ(reason.have, 2);
  EXPECT_TRUE(reason.never);
  // Five are too many for all hosts together.
  const Reason more = *world.Place(Gang(world.Gpus(8), 5, "rack")).refusal();
  EXPECT_EQ(more.code, ReasonCode::kCapacity);
  EXPECT_TRUE(more.never);
}

TEST(RefusalTest, NoSuchNodeSaysWhy) {
  PlaceWorld world;
  world.AddHost("a", 8).labels["gpu"] = "a100";
  world.AddHost("b", 8).labels["gpu"] = "l4";
  world.AddHost("c", 8).taints = {{"sku", "gpu", TaintEffect::kNoSchedule}};
  Shape shape;
  shape.node_selector = {{"gpu", "h100"}};
  const ShapeId member = world.Member({{kGpu, 1}}, shape);
  const PlacementAnswer answer = world.Place(Gang(member, 2));
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kNoSuchNode);
  EXPECT_TRUE(answer.refusal()->never);
  EXPECT_EQ(answer.refused, member);
  EXPECT_EQ(answer.refusal()->exclusions,
            (Exclusions{{ExclusionCause::kSelector, "gpu=h100", 2},
                        {ExclusionCause::kTaint, "sku=gpu:NoSchedule", 1}}));
}

TEST(RefusalTest, AMemberLargerThanEveryNodeFindsNoSuchNode) {
  PlaceWorld world;
  world.AddHost("a", 8);
  const Reason reason = *world.Place(Gang(world.Gpus(9), 1)).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kNoSuchNode);
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kResourceAbsent, kGpu, 1}}));
}

// Cordons and readiness pass: the gang waits for them.
TEST(RefusalTest, UnhealthyNodesAreCapacityThatMayReturn) {
  PlaceWorld world;
  world.AddHost("a", 8).unschedulable = true;
  world.AddHost("b", 8).ready = false;
  const Reason reason = *world.Place(Gang(world.Gpus(8), 2)).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kCapacity);
  EXPECT_EQ(reason.have, 0);
  EXPECT_FALSE(reason.never);
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kNotReady, "", 1},
                                           {ExclusionCause::kUnschedulable, "", 1}}));
}

TEST(RefusalTest, MoreThanTheWholeInventoryIsForEver) {
  PlaceWorld world;
  world.AddHost("a", 8);
  const Reason reason = *world.Place(Gang(world.Gpus(8), 2)).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kCapacity);
  EXPECT_TRUE(reason.never);
  EXPECT_EQ(reason.detail, "8 of 16");
}

TEST(RefusalTest, UnknownLevel) {
  PlaceWorld world;
  world.AddHost("a", 8);
  const Reason reason = *world.Place(Gang(world.Gpus(1), 1, "rack")).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kLevelUnknown);
  EXPECT_EQ(reason.subject, "rack");
  EXPECT_TRUE(reason.never);
}

TEST(RefusalTest, EmptyCluster) {
  PlaceWorld world;
  const Reason reason = *world.Place(Gang(world.Gpus(1), 1)).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kNoSuchNode);
  EXPECT_TRUE(reason.exclusions.empty());
}

TEST(RefusalTest, ConflictsAreCountedAndAreNotForEver) {
  PlaceWorld world;
  world.AddHost("a", 8);
  const ShapeId shape = world.Gpus(8);
  world.cluster();
  PlacementRequest request = Gang(shape, 1);
  request.exclusions = {{shape, world.Id("a"), "VolumeBinding"}};
  const Reason reason = *world.Place(request).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kCapacity);
  EXPECT_FALSE(reason.never);
  EXPECT_EQ(reason.exclusions, (Exclusions{{ExclusionCause::kConflict, "VolumeBinding", 1}}));
}

}  // namespace
}  // namespace phalanx

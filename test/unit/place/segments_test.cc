// Segments: members in groups that each lie in one domain.
#include "core/place/segments.h"

#include <gtest/gtest.h>

#include "core/place/free_slots.h"
#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;

//   leaf l1 ── rack r1: a0 a1 a2     rack r2: b0 b1 b2
//   leaf l2 ── rack r3: c0 c1
//   no rack:   d0 d1 d2 d3
class Racks : public testing::Test {
 protected:
  Racks() {
    for (const char* name : {"a0", "a1", "a2"}) world_.AddHost(name, 8, {"z", "l1", "r1"});
    for (const char* name : {"b0", "b1", "b2"}) world_.AddHost(name, 8, {"z", "l1", "r2"});
    for (const char* name : {"c0", "c1"}) world_.AddHost(name, 8, {"z", "l2", "r3"});
    for (const char* name : {"d0", "d1", "d2", "d3"}) world_.AddHost(name, 8, {"z", "l3", ""});
  }

  PlacementAnswer Place(int32_t members, const Segment& segment, std::string required = "",
                        int64_t gpus = 8) {
    Shape shape;
    shape.segment = segment;
    PlacementRequest request;
    request.roles = {{world_.Member({{test::kGpu, gpus}}, shape), members}};
    request.required_level = std::move(required);
    return world_.Place(request);
  }
  std::string Where(int32_t members, const Segment& segment, std::string required = "") {
    return world_.Where(Place(members, segment, std::move(required)));
  }

  PlaceWorld world_;
};

TEST_F(Racks, EachSegmentIsWholeInItsDomain) {
  // Without segments the first rack is filled and one goes to the second.
  EXPECT_EQ(Where(4, {}), "a0:1 a1:1 a2:1 b0:1");
  EXPECT_EQ(Where(4, {2, "rack", ""}), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(Where(6, {2, "rack", ""}), "a0:1 a1:1 b0:1 b1:1 c0:1 c1:1");
  EXPECT_EQ(Where(6, {3, "rack", ""}), "a0:1 a1:1 a2:1 b0:1 b1:1 b2:1");
}

TEST_F(Racks, TheRequiredLevelOfTheGangHoldsBesides) {
  EXPECT_EQ(Where(4, {2, "rack", ""}, "leaf"), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(Where(6, {2, "rack", ""}, "leaf"), "refused");
}

TEST_F(Racks, ARefusalCountsWhatWouldBePlaceableInSegments) {
  const PlacementAnswer answer = Place(8, {2, "rack", ""});
  ASSERT_NE(answer.refusal(), nullptr);
  const Reason& reason = *answer.refusal();
  EXPECT_EQ(reason.code, ReasonCode::kTopology);
  EXPECT_EQ(reason.level, "rack");
  EXPECT_EQ(reason.detail, "2");
  EXPECT_EQ(reason.have, 6);
  EXPECT_EQ(reason.need, 8);
  EXPECT_TRUE(reason.never);
  world_.nodes()[0].unschedulable = true;
  world_.nodes()[1].unschedulable = true;
  const Reason now = *Place(6, {2, "rack", ""}).refusal();
  EXPECT_EQ(now.have, 4);
  EXPECT_FALSE(now.never);
}

// Eight in pairs are too many for racks of three, three and two, whatever is free.
TEST_F(Racks, SegmentsThatNeverFitAreToldSoWhileTheClusterIsFull) {
  for (NodeObject& node : world_.nodes()) node.unschedulable = node.name != "a0";
  const Reason never = *Place(8, {2, "rack", ""}).refusal();
  EXPECT_EQ(never.code, ReasonCode::kTopology);
  EXPECT_EQ(never.detail, "2");
  EXPECT_TRUE(never.never);
  const Reason later = *Place(6, {2, "rack", ""}).refusal();
  EXPECT_EQ(later.code, ReasonCode::kCapacity);
  EXPECT_FALSE(later.never);
  // No required level: nothing but room is missing.
  EXPECT_FALSE(Place(8, {2, "", "rack"}).refusal()->never);
}

TEST_F(Racks, APreferredLevelGivesWayToTheNextCoarserOne) {
  // Three per rack can not be had twice beside each other in leaf l2, nor in racks for four of
  // three: leaves do it with one segment that is cut, which the required level forbids.
  EXPECT_EQ(Where(4, {4, "leaf", "rack"}), "a0:1 a1:1 a2:1 b0:1");
  EXPECT_EQ(Where(4, {2, "leaf", "rack"}), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(Where(4, {2, "rack", "rack"}), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(Where(8, {4, "", "rack"}), "a0:1 a1:1 a2:1 b0:1 d0:1 d1:1 d2:1 d3:1");
  // No node has the level, or it is coarser than the required one: no preference.
  EXPECT_EQ(Where(4, {2, "", "spine"}), "a0:1 a1:1 a2:1 b0:1");
  EXPECT_EQ(Where(4, {2, "rack", "zone"}), "a0:1 a1:1 b0:1 b1:1");
}

TEST_F(Racks, SegmentsOnSingleHosts) {
  const PlacementAnswer answer = Place(6, {2, "host", ""}, "", 3);  // two members to a host
  EXPECT_EQ(world_.Where(answer), "a0:2 a1:2 a2:2");
  const PlacementAnswer larger = Place(8, {4, "host", ""}, "", 2);
  EXPECT_EQ(world_.Where(larger), "a0:4 a1:4");
}

TEST_F(Racks, ASizeThatDoesNotDivideIsNamed) {
  const Reason reason = *Place(7, {2, "rack", ""}).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kInvalid);
  EXPECT_EQ(reason.subject, "metadata.annotations[phalanx.dev/segment-size]");
  EXPECT_EQ(reason.detail, "is 2: expected a divisor of 7, the number of members of its role");
  EXPECT_TRUE(reason.never);
}

TEST_F(Racks, AnUnknownRequiredLevelIsNamed) {
  const Reason reason = *Place(4, {2, "spine", ""}).refusal();
  EXPECT_EQ(reason.code, ReasonCode::kLevelUnknown);
  EXPECT_EQ(reason.subject, "spine");
}

TEST_F(Racks, MembersThatJoinAreNoWholeSegments) {
  Shape shape;
  shape.segment = {2, "rack", ""};
  PlacementRequest request;
  request.roles = {{world_.Member({{test::kGpu, 8}}, shape), 1}};
  request.joining = true;
  EXPECT_EQ(world_.Where(world_.Place(request)), "a0:1");
}

TEST_F(Racks, RolesKeepTheirOwnSegments) {
  Shape paired;
  paired.segment = {2, "rack", ""};
  PlacementRequest request;
  request.roles = {{world_.Member({{test::kGpu, 8}, {"cpu", 2'000}}), 1},
                   {world_.Member({{test::kGpu, 8}}, paired), 4}};
  const PlacementAnswer answer = world_.Place(request);
  ASSERT_NE(answer.placement(), nullptr);
  std::map<std::string, int32_t> by_rack;
  for (const SlotsOnHost& slot : answer.placement()->slots) {
    if (slot.shape == request.roles[1].shape) {
      by_rack[world_.cluster().topology().host(slot.host).name.substr(0, 1)] += slot.count;
    }
  }
  for (const auto& [rack, members] : by_rack) EXPECT_EQ(members % 2, 0) << rack;
}

// Which of two impossible roles is told must not hang on the order in which they are named.
TEST_F(Racks, TheOrderOfRolesDoesNotDecideWhichOneIsRefused) {
  Shape large, small;
  large.segment = {2, "spine", ""};
  small.segment = {3, "spine", ""};
  const RoleRequest first = {world_.Member({{test::kGpu, 8}}, large), 6};
  const RoleRequest second = {world_.Member({{test::kGpu, 1}}, small), 3};
  PlacementRequest request;
  request.roles = {first, second};
  const PlacementAnswer answer = world_.Place(request);
  request.roles = {second, first};
  const PlacementAnswer other = world_.Place(request);
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kLevelUnknown);
  EXPECT_EQ(answer.refusal()->need, 6);
  EXPECT_EQ(answer.refused, first.shape);
  ASSERT_NE(other.refusal(), nullptr);
  EXPECT_EQ(*other.refusal(), *answer.refusal());
  EXPECT_EQ(other.refused, answer.refused);
}

TEST_F(Racks, SlotsInSegments) {
  const Topology& topology = world_.cluster().topology();
  const SlotTree free = FreeSlots(world_.cluster(), {}, world_.Gpus(8));
  EXPECT_EQ(free.Sum(), 12);
  EXPECT_EQ(InSegments(topology, free, topology.FindLevel("rack"), 2).Sum(), 6);
  EXPECT_EQ(InSegments(topology, free, topology.FindLevel("rack"), 3).Sum(), 6);
  EXPECT_EQ(InSegments(topology, free, topology.FindLevel("leaf"), 4).Sum(), 8);
  EXPECT_EQ(InSegments(topology, free, LevelId::None(), 4), free);
}

}  // namespace
}  // namespace phalanx

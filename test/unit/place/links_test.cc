// Declared traffic in the search: where uplinks have room for it, and what is told of it.
#include <gtest/gtest.h>

#include <string>

#include "core/place/link_costs.h"
#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;

// leaf l1: a0 a1    leaf l2: b0 b1    leaf l3: c0    leaf l4: d0, eight GPUs each, and members that
// ask for them
class Links : public testing::Test {
 protected:
  Links() {
    for (const auto& [name, leaf] : {std::pair("a0", "l1"),
                                     {"a1", "l1"},
                                     {"b0", "l2"},
                                     {"b1", "l2"},
                                     {"c0", "l3"},
                                     {"d0", "l4"}}) {
      world_.AddHost(name, 8, {"z", leaf, ""});
    }
    Declare({100, false});
  }
  void Declare(const Uplink& uplink) {
    world_.cluster().DeclareTopology(
        {{0, true, {{"leaf", "fabric.topograph.run/tier-0", false, "", uplink}}}});
  }
  ShapeId Sends(const Traffic& traffic) {
    Shape shape;
    shape.traffic = traffic;
    return world_.Member({{test::kGpu, 8}}, shape);
  }
  // A member of another gang, which takes no room.
  void Busy(uint32_t pod, const std::string& node, const Traffic& traffic) {
    Cluster& cluster = world_.cluster();
    cluster.ledger().Book(PodId(100 + pod), cluster.NodeForName(node), BookingKind::kBound, {},
                          {GangId(1), Sends(traffic)});
  }
  PlacementRequest Asks(int32_t members, const Traffic& traffic) {
    PlacementRequest request;
    request.roles = {{Sends(traffic), members}};
    return request;
  }
  LinkChange ChangeOf(const PlacementRequest& request, const PlacementAnswer& answer) {
    return LinkChangeOf(world_.cluster(), request, answer.placement()->slots);
  }
  PlaceWorld world_;
};

// Three members touch two leaves at least; of the pairs of leaves the one with idle uplinks.
TEST_F(Links, IdleUplinksComeBeforePosition) {
  EXPECT_EQ(world_.Where(world_.Place(Asks(3, {.dp = 30}))), "a0:1 a1:1 b0:1");
  Busy(1, "a0", {.dp = 80});
  Busy(2, "c0", {.dp = 80});
  const PlacementRequest request = Asks(3, {.dp = 30});
  const PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "b0:1 b1:1 d0:1");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kAll);
  const LinkChange change = ChangeOf(request, answer);
  EXPECT_EQ(change.over, 0);
  const Topology& topology = world_.cluster().topology();
  EXPECT_EQ(topology.Path(change.hottest_before.domain), "l1");
  EXPECT_EQ(change.hottest_before.before, 80);
  EXPECT_EQ(topology.Path(change.hottest_after.domain), "l1");
  EXPECT_EQ(change.hottest_after.after, 80);
  // Nobody who sends nothing goes elsewhere for that.
  EXPECT_EQ(world_.Where(world_.Place(Asks(3, {}))), "a0:1 a1:1 b0:1");
}

TEST_F(Links, FewerLeavesComeBeforeIdleUplinks) {
  Busy(1, "a0", {.dp = 95});
  Busy(2, "b0", {.dp = 95});
  const PlacementRequest request = Asks(4, {.dp = 30});
  const PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "a0:1 a1:1 b0:1 b1:1");
  const LinkChange change = ChangeOf(request, answer);
  EXPECT_EQ(change.over, 50);  // 95 + 30 - 100, twice
  EXPECT_EQ(change.hard, 0);
  EXPECT_EQ(change.hottest_after.after, 125);
}

TEST_F(Links, AHardLimitComesBeforeFewerLeaves) {
  Declare({100, true});
  Busy(1, "a0", {.dp = 95});
  Busy(2, "b0", {.dp = 95});
  const PlacementAnswer refused = world_.Place(Asks(4, {.dp = 30}));
  ASSERT_NE(refused.refusal(), nullptr);
  EXPECT_EQ(refused.refusal()->code, ReasonCode::kUplink);
  EXPECT_EQ(refused.refusal()->need, 30);
  EXPECT_EQ(refused.refusal()->have, 5);
  EXPECT_EQ(refused.refusal()->domain, "l1");
  EXPECT_EQ(refused.refusal()->level, "leaf");
  EXPECT_EQ(refused.refusal()->proven, ProvenThrough::kFeasibility);
  EXPECT_FALSE(refused.refusal()->never);
  // Two find room in one leaf, whose uplink they do not use.
  EXPECT_EQ(world_.Where(world_.Place(Asks(2, {.dp = 30}))), "a0:1 a1:1");
  world_.nodes()[1].unschedulable = true;
  world_.nodes()[3].unschedulable = true;
  EXPECT_EQ(world_.Where(world_.Place(Asks(2, {.dp = 30}))), "c0:1 d0:1");
}

TEST_F(Links, WhatNeverFitsIsToldSo) {
  Declare({100, true});
  const PlacementAnswer refused = world_.Place(Asks(3, {.dp = 101}));
  ASSERT_NE(refused.refusal(), nullptr);
  EXPECT_TRUE(refused.refusal()->never);
  EXPECT_EQ(refused.refusal()->have, 100);
}

// A limit that was lowered below what is used: nothing is added, and what adds nothing is placed.
TEST_F(Links, AnUplinkThatIsAboveItsLimitTakesNothingMore) {
  Declare({10, true});
  Busy(1, "a0", {.dp = 95});
  Busy(2, "b0", {.dp = 95});
  EXPECT_EQ(world_.Where(world_.Place(Asks(2, {.dp = 1}))), "a0:1 a1:1");
  EXPECT_EQ(world_.Where(world_.Place(Asks(3, {.dp = 1}))), "refused");
}

// Where the tables are too large the answer says that links were not looked at, and no hard limit
// is exceeded all the same.
TEST_F(Links, WithoutABudgetNothingIsClaimed) {
  Busy(1, "a0", {.dp = 80});
  Busy(2, "c0", {.dp = 80});
  PlacementRequest request = Asks(3, {.dp = 30});
  request.max_cells = 8;
  const PlacementAnswer soft = world_.Place(request);
  ASSERT_NE(soft.placement(), nullptr);
  EXPECT_LE(soft.placement()->proven, ProvenThrough::kCounts);
  Declare({100, true});
  const PlacementAnswer hard = world_.Place(request);
  ASSERT_NE(hard.refusal(), nullptr);
  EXPECT_EQ(hard.refusal()->code, ReasonCode::kUplink);
  EXPECT_EQ(hard.refusal()->proven, ProvenThrough::kNothing);
}

// A member that joins goes where its siblings are.
TEST_F(Links, MembersThatJoinTalkToThoseThatRun) {
  PlacementRequest request = Asks(1, {.all_to_all = 60});
  request.joining = true;
  Cluster& cluster = world_.cluster();
  const ShapeId shape = request.roles[0].shape;
  cluster.ledger().Book(PodId(100), cluster.NodeForName("b0"), BookingKind::kBound, {},
                        {GangId(1), shape});
  cluster.ledger().Book(PodId(101), cluster.NodeForName("b0"), BookingKind::kBound, {},
                        {GangId(1), shape});
  request.placed = {{shape, cluster.NodeForName("b0"), 2}};
  Declare({50, false});
  EXPECT_EQ(world_.Where(world_.Place(request)), "b0:1");
  Declare({50, true});
  world_.nodes()[2].unschedulable = true;
  EXPECT_EQ(world_.Where(world_.Place(request)), "b1:1");
  world_.nodes()[3].unschedulable = true;
  EXPECT_EQ(world_.Where(world_.Place(request)), "refused");
}

}  // namespace
}  // namespace phalanx

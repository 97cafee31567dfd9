// Members that are spread over the domains of a level. That the search is exact is shown in
// test/oracle.
#include "core/place/spread.h"

#include <gtest/gtest.h>

#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;

//   leaf l1 ── rack r1: a0 a1 a2     rack r2: b0 b1
//   leaf l2 ── rack r3: c0 c1 c2 c3
//   no rack:   d0
class SpreadTest : public testing::Test {
 protected:
  SpreadTest() {
    for (const char* name : {"a0", "a1", "a2"}) world_.AddHost(name, 8, {"z", "l1", "r1"});
    for (const char* name : {"b0", "b1"}) world_.AddHost(name, 8, {"z", "l1", "r2"});
    for (const char* name : {"c0", "c1", "c2", "c3"}) world_.AddHost(name, 8, {"z", "l2", "r3"});
    world_.AddHost("d0", 8, {"z", "l3", ""});
  }

  PlacementRequest Ask(int32_t members, const Spread& spread, int64_t gpus = 8) {
    Shape shape;
    shape.spread = spread;
    PlacementRequest request;
    request.roles = {{world_.Member({{test::kGpu, gpus}}, shape), members}};
    return request;
  }
  std::string Where(int32_t members, const Spread& spread, int64_t gpus = 8) {
    return world_.Where(world_.Place(Ask(members, spread, gpus)));
  }
  Reason Refusal(int32_t members, const Spread& spread) {
    const PlacementAnswer answer = world_.Place(Ask(members, spread));
    return answer.refusal() ? *answer.refusal() : Reason();
  }

  PlaceWorld world_;
};

TEST_F(SpreadTest, AtMost) {
  EXPECT_EQ(Where(4, {}), "c0:1 c1:1 c2:1 c3:1");
  EXPECT_EQ(Where(4, {"rack", 3}), "a0:1 a1:1 a2:1 b0:1");
  EXPECT_EQ(Where(4, {"rack", 2}), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(Where(5, {"rack", 2}), "a0:1 a1:1 b0:1 b1:1 c0:1");
  EXPECT_EQ(Where(3, {"leaf", 1}), "a0:1 c0:1 d0:1");
  EXPECT_EQ(Where(3, {"host", 1}, 1), "a0:1 a1:1 a2:1");
  EXPECT_EQ(Where(3, {"host", 2}, 1), "a0:2 a1:1");
}

TEST_F(SpreadTest, AtLeast) {
  EXPECT_EQ(Where(5, {"rack", 0, 2}), "a0:1 a1:1 a2:1 b0:1 b1:1");
  EXPECT_EQ(Where(6, {"rack", 0, 2}), "a0:1 a1:1 a2:1 c0:1 c1:1 c2:1");
  EXPECT_EQ(Where(6, {"rack", 0, 3}), "a0:1 a1:1 a2:1 c0:1 c1:1 c2:1");
  // Three and one would be packed.
  EXPECT_EQ(Where(4, {"rack", 3, 2}), "a0:1 a1:1 b0:1 b1:1");
  // Without room for a table the shares are right, and nothing else is promised.
  PlacementRequest poor = Ask(4, {"rack", 3, 2});
  poor.max_cells = 1;
  const PlacementAnswer answer = world_.Place(poor);
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kFeasibility);
}

TEST_F(SpreadTest, Evenly) {
  EXPECT_EQ(Where(5, {"rack", 0, 1, true}), "a0:1 a1:1 a2:1 b0:1 b1:1");
  EXPECT_EQ(Where(6, {"leaf", 0, 1, true}), "a0:1 a1:1 a2:1 c0:1 c1:1 c2:1");
  EXPECT_EQ(Where(3, {"rack", 0, 1, true}), "a0:1 a1:1 a2:1");  // fewest domains come first
}

// Pods that keep off each other, for kube-scheduler.
TEST_F(SpreadTest, ApartOnHostsIsAtMostOne) {
  const Spread apart{.level = "kubernetes.io/hostname", .at_most = 1, .by = SpreadBy::kApart};
  EXPECT_EQ(Where(3, apart, 1), "a0:1 a1:1 a2:1");
  PlacementRequest eleven = Ask(11, apart, 1);
  const Reason none = *world_.Place(eleven).refusal();
  EXPECT_EQ(none.code, ReasonCode::kSpread);
  EXPECT_EQ(none.have, 10);  // as many as there are hosts
  EXPECT_EQ(none.detail, "at most 1 by anti-affinity");
  EXPECT_TRUE(none.never);
}

// Hosts without the label may hold any number, which "at most" does not say.
TEST_F(SpreadTest, ApartInALevelThatSomeHostsLackIsLeftToTheScheduler) {
  const Spread apart{.level = "rack", .at_most = 1, .by = SpreadBy::kApart};
  EXPECT_EQ(Where(3, apart), "a0:1 b0:1 c0:1");
  EXPECT_EQ(Where(4, apart), "c0:1 c1:1 c2:1 c3:1");
  const Spread leaves{.level = "leaf", .at_most = 1, .by = SpreadBy::kApart};  // all hosts have one
  EXPECT_EQ(Where(4, leaves), "refused");
  const Spread unknown{.level = "example.com/row", .at_most = 1, .by = SpreadBy::kApart};
  EXPECT_EQ(Where(4, unknown), "c0:1 c1:1 c2:1 c3:1");
}

// maxSkew 1 over three leaves: 2 + 1 + 1 is right, but is not "at most 1".
TEST_F(SpreadTest, SkewIsAtMostWhileADomainStaysEmpty) {
  const Spread skew{.level = "leaf", .at_most = 1, .by = SpreadBy::kSkew};
  EXPECT_EQ(Where(2, skew), "a0:1 c0:1");
  EXPECT_EQ(Where(3, skew), "a0:1 c0:1 d0:1");
  EXPECT_EQ(Where(4, skew), "c0:1 c1:1 c2:1 c3:1");  // for the scheduler to refuse
  const Spread more{.level = "leaf", .at_most = 2, .by = SpreadBy::kSkew};
  EXPECT_EQ(Where(5, more), "a0:1 a1:1 c0:1 c1:1 d0:1");
}

TEST_F(SpreadTest, SkewIsAtMostWhereADomainCanTakeNobody) {
  const Spread skew{.level = "leaf", .at_most = 1, .by = SpreadBy::kSkew};
  world_.AddHost("e0", 0, {"z", "l4", ""});  // full
  Reason full = Refusal(4, skew);
  EXPECT_EQ(full.code, ReasonCode::kSpread);
  EXPECT_EQ(full.have, 3);
  EXPECT_EQ(full.detail, "at most 1 by a spread constraint");
  EXPECT_FALSE(full.never);  // four leaves take four members when it is empty
  // More members than leaves, so that each leaf may have one: the scheduler's plugin counts the one
  // that is full, and it stays at none.
  full = Refusal(5, skew);
  EXPECT_EQ(full.have, 3);
  EXPECT_FALSE(full.never);
  // A taint keeps members off, and the plugin counts the leaf all the same.
  world_.nodes().back().taints = {{"dedicated", "x", TaintEffect::kNoSchedule}};
  EXPECT_TRUE(Refusal(5, skew).never);
  // Nodes that the pods do not select are not counted: five members in three leaves may be 2 + 2
  // + 1.
  for (NodeObject& node : world_.nodes()) node.labels["pool"] = node.name == "e0" ? "no" : "yes";
  PlacementRequest selected = Ask(5, skew, 1);
  Shape shape;
  shape.spread = skew;
  shape.node_selector = {{"pool", "yes"}};
  selected.roles.front().shape = world_.Member({{test::kGpu, 1}}, shape);
  EXPECT_EQ(world_.Where(world_.Place(selected)), "a0:5");
}

TEST_F(SpreadTest, ARefusalCountsWhatWouldBePlaceableSo) {
  const Reason never = Refusal(7, {"rack", 2});
  EXPECT_EQ(never.code, ReasonCode::kSpread);
  EXPECT_EQ(never.have, 6);
  EXPECT_EQ(never.need, 7);
  EXPECT_EQ(never.level, "rack");
  EXPECT_EQ(never.detail, "at most 2");
  EXPECT_TRUE(never.never);
  // Five in racks of four or more: the fifth is left over.
  const Reason least = Refusal(5, {"rack", 0, 4});
  EXPECT_EQ(least.detail, "at least 4");
  EXPECT_EQ(least.have, 4);
  world_.nodes()[0].unschedulable = true;
  world_.nodes()[5].unschedulable = true;
  const Reason now = Refusal(6, {"rack", 2, 2});
  EXPECT_EQ(now.code, ReasonCode::kNone);
  const Reason later = Refusal(6, {"rack", 3, 3});
  EXPECT_EQ(later.code, ReasonCode::kSpread);
  EXPECT_EQ(later.detail, "at least 3 and at most 3");
  EXPECT_EQ(later.have, 3);
  EXPECT_FALSE(later.never);
}

TEST_F(SpreadTest, AnUnknownLevelIsNamed) {
  const Reason reason = Refusal(2, {"spine", 2});
  EXPECT_EQ(reason.code, ReasonCode::kLevelUnknown);
  EXPECT_EQ(reason.subject, "spine");
  EXPECT_TRUE(reason.never);
}

TEST_F(SpreadTest, MembersThatRunCountForThoseThatJoin) {
  world_.cluster();
  PlacementRequest request = Ask(1, {"rack", 2, 2});
  request.joining = true;
  const ShapeId shape = request.roles[0].shape;
  request.placed = {{shape, world_.Id("a0"), 1}, {shape, world_.Id("a1"), 1}};
  EXPECT_EQ(world_.Where(world_.Place(request)), "b0:1");
}

TEST_F(SpreadTest, RolesAreSpreadByThemselves) {
  PlacementRequest request = Ask(4, {"rack", 2, 2});
  request.roles.push_back({world_.Member({{test::kGpu, 4}}), 2});
  EXPECT_EQ(world_.Where(world_.Place(request)), "a0:1 a1:1 a2:2 b0:1 b1:1");
  request.roles[0].count = 7;
  const PlacementAnswer refused = world_.Place(request);
  ASSERT_NE(refused.refusal(), nullptr);
  EXPECT_EQ(refused.refusal()->code, ReasonCode::kSpread);
  EXPECT_EQ(refused.refused, request.roles[0].shape);
}

TEST_F(SpreadTest, ClosedHostsAreLeftOutAndCounted) {
  const Cluster& cluster = world_.cluster();
  PlacementRequest request = Ask(8, {});
  const HostId a0 = cluster.topology().HostOf(world_.Id("a0"));
  const HostId d0 = cluster.topology().HostOf(world_.Id("d0"));
  request.closed = {{{a0, 3}, "rack", false}, {{d0, 1}, "rack", true}};
  const PlacementAnswer answer = world_.Place(request);
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->have, 6);
  EXPECT_FALSE(answer.refusal()->never);
  EXPECT_EQ(answer.refusal()->exclusions,
            (std::vector<Exclusion>{{ExclusionCause::kExclusive, "rack", 3},
                                    {ExclusionCause::kLevelMissing, "rack", 1}}));
  request.roles[0].count = 10;  // with d0 there would be as many hosts
  EXPECT_TRUE(world_.Place(request).refusal()->never);
}

}  // namespace
}  // namespace phalanx

// What nodes share is counted for a gang as a whole, wherever its pods are.
#include "core/place/shared_pools.h"

#include <gtest/gtest.h>

#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;

class SharedPoolsTest : public testing::Test {
 protected:
  SharedPoolsTest() {
    for (const char* name : {"a", "b"}) world_.AddHost(name, 8);
    world_.cluster().DeclarePools({{"ansys", 5}, {"scratch", 1'000}});
  }

  ShapeId Member(int64_t ansys, int64_t scratch, int64_t gpus = 1) {
    QuantityMap request{{test::kGpu, gpus}};
    if (ansys > 0) request["shared resource ansys"] = ansys;
    if (scratch > 0) request["shared resource scratch"] = scratch;
    return world_.Member(request);
  }
  PlacementAnswer Ask(const std::vector<RoleRequest>& roles) {
    PlacementRequest request;
    request.roles = roles;
    return world_.Place(request);
  }
  // A pod elsewhere that has so much.
  void Hold(const std::string& node, int64_t ansys) {
    Cluster& cluster = world_.cluster();
    cluster.ledger().Book(PodId(100), cluster.NodeForName(node), BookingKind::kHeld,
                          Resources::From({{"shared resource ansys", ansys}}, cluster.resources()));
  }

  PlaceWorld world_;
};

TEST_F(SharedPoolsTest, MembersAddUpOverAllNodes) {
  EXPECT_EQ(world_.Where(Ask({{Member(1, 0), 5}})), "a:5");
  const Reason six = *Ask({{Member(1, 0), 6}}).refusal();
  EXPECT_EQ(six.code, ReasonCode::kSharedResource);
  EXPECT_EQ(six.subject, "ansys");
  EXPECT_EQ(six.have, 5);
  EXPECT_EQ(six.need, 6);
  EXPECT_TRUE(six.never);
}

TEST_F(SharedPoolsTest, RolesAddUp) {
  EXPECT_EQ(world_.Where(Ask({{Member(2, 0), 1}, {Member(1, 0, 2), 3}})), "a:4");
  EXPECT_EQ(Ask({{Member(2, 0), 2}, {Member(1, 0, 2), 2}}).refusal()->need, 6);
}

// Also on a node that nobody knows any more: its pods have not ended.
TEST_F(SharedPoolsTest, WhatPodsHoldIsTaken) {
  Hold("gone", 3);
  EXPECT_EQ(world_.Where(Ask({{Member(1, 0), 2}})), "a:2");
  const Reason three = *Ask({{Member(1, 0), 3}}).refusal();
  EXPECT_EQ(three.have, 2);
  EXPECT_FALSE(three.never);
  // A capacity that has fallen below what is used is no debt.
  world_.cluster().DeclarePools({{"ansys", 2}});
  EXPECT_EQ(Ask({{Member(1, 0), 1}}).refusal()->have, 0);
}

TEST_F(SharedPoolsTest, WhatNobodyDeclaresIsNotThere) {
  const Reason other =
      *Ask({{world_.Member({{test::kGpu, 1}, {"shared resource x", 1}}), 1}}).refusal();
  EXPECT_EQ(other.have, -1);
  EXPECT_TRUE(other.never);
}

TEST_F(SharedPoolsTest, NodesAreChosenAsIfItWereNotThere) {
  EXPECT_EQ(world_.Where(Ask({{Member(0, 100, 4), 4}})), "a:2 b:2");
  const Reason nodes = *Ask({{Member(0, 100, 4), 5}}).refusal();
  EXPECT_EQ(nodes.code, ReasonCode::kCapacity);
  EXPECT_EQ(nodes.subject, test::kGpu);
}

}  // namespace
}  // namespace phalanx

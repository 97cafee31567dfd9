// What is left of a host for a mix of shapes: against what the cluster itself says after bookings.
#include "core/place/residual_class.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/place_world.h"

namespace phalanx::test {
namespace {

class ResidualClassTest : public ::testing::Test {
 protected:
  ResidualClassTest() {
    for (int i = 0; i < 4; ++i) {
      NodeObject& node = world_.AddHost("h" + std::to_string(i), i + 1);
      node.allocatable["cpu"] = 9'000 + 1'000 * (i % 2);
      node.labels["model"] = i % 2 == 0 ? "T4" : "V100";
    }
    Shape on_t4;
    on_t4.node_selector = {{"model", "T4"}};
    shapes_ = {world_.Gpus(1),
               world_.Gpus(3),
               world_.Member({{kGpu, 1}, {"cpu", 4'000}}, on_t4),
               world_.Member({{"share of nvidia.com/gpu", 300}}),
               world_.Member({{"share of nvidia.com/gpu", 700}, {"cpu", 500}}),
               world_.Member({{"cpu", 2'500}})};
    const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
    for (const ShapeId shape : shapes_) {
      const bool any = shape != shapes_.back();
      mix_.push_back({shape, any ? gpu : ResourceId::None(), 1});
    }
    view_ = ResidualView(world_.cluster(), mix_);
  }

  PlaceWorld world_;
  std::vector<ShapeId> shapes_;
  std::vector<MixShape> mix_;
  ResidualView view_;
};

// Room, filters, and what is left after taking k members: as the cluster has it.
TEST_F(ResidualClassTest, SaysWhatTheClusterSays) {
  std::mt19937_64 random(3);
  Cluster& cluster = world_.cluster();
  for (int step = 0; step < 2'000; ++step) {
    const NodeId node = world_.Id("h" + std::to_string(random() % 4));
    const size_t i = random() % shapes_.size();
    const Residual before = view_.Of(cluster, node);
    const Demand demand = view_.DemandOf(cluster, shapes_[i]);
    const int64_t slots = cluster.Slots(node, shapes_[i]);
    const bool takes = (before.admits >> i & 1) != 0 && HasRoom(before, demand);
    // "pods" is in the mix as well: all shapes ask for it.
    ASSERT_EQ(takes, slots > 0) << step;
    if (slots > 0) {
      const auto members = static_cast<int32_t>(1 + random() % static_cast<uint64_t>(slots));
      Residual after = before;
      Take(after, demand, members);
      for (int32_t k = 0; k < members; ++k) {
        cluster.ledger().Book(PodId(static_cast<uint32_t>(1'000 + step * 50 + k)), node,
                              BookingKind::kHeld, cluster.shapes().Get(shapes_[i]).request);
      }
      ASSERT_EQ(after, view_.Of(cluster, node)) << step;
    }
    if (cluster.ledger().size() > 20) {
      std::vector<PodId> held;
      for (const auto& [pod, booking] : cluster.ledger().entries()) {
        if (booking.kind == BookingKind::kHeld && random() % 2 == 0) held.push_back(pod);
      }
      for (const PodId pod : held) cluster.ledger().Release(pod);
    }
  }
}

TEST_F(ResidualClassTest, WhatTheMixDoesNotAskForMakesNoDifference) {
  world_.nodes()[0].allocatable["memory"] = 1'000;
  const NodeId first = world_.Id("h0");
  Cluster& cluster = world_.cluster();
  const Residual before = view_.Of(cluster, first);
  cluster.ledger().Book(PodId(77), first, BookingKind::kBound,
                        Resources::From({{"memory", 500}}, cluster.resources()));
  EXPECT_EQ(before, view_.Of(cluster, first));
  EXPECT_NE(before, view_.Of(cluster, world_.Id("h2")));
  EXPECT_EQ(before.Milli(), 1'000);
  // Parts are those that SharedDevices would use: 700 of a new device, then 300 beside it.
  Residual taken = view_.Of(cluster, world_.Id("h3"));
  Take(taken, view_.DemandOf(cluster, shapes_[4]), 1);
  EXPECT_EQ(taken.devices[0], (DevicesLeft{3, {300}}));
  Take(taken, view_.DemandOf(cluster, shapes_[3]), 1);
  EXPECT_EQ(taken.devices[0], (DevicesLeft{3, {0}}));
}

}  // namespace
}  // namespace phalanx::test

// Fragmentation: its definition on hosts drawn by hand, its score against the formula, what is kept
// against a recomputation, and where it sends members.
#include "core/place/fragmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/place/score_steps.h"
#include "support/place_world.h"

namespace phalanx::test {
namespace {

TEST(ScoreStepsTest, IsTheTruncatedSigmoid) {
  for (const int64_t scale : {int64_t{1000}, int64_t{35'000}, int64_t{1} << 40}) {
    const ScoreSteps steps(scale);
    for (double x = -8; x <= 8; x += 0.0137) {
      const auto change = static_cast<int64_t>(std::floor(x * static_cast<double>(scale)));
      const double score =
          100 / (1 + std::exp(-static_cast<double>(change) / static_cast<double>(scale)));
      // The tables are exact to 2^-40, the formula is not: at a step either is right.
      if (std::abs(score - std::round(score)) < 1e-6) continue;
      ASSERT_EQ(steps.ScoreOf(change), static_cast<int32_t>(score)) << scale << " " << x;
    }
    EXPECT_EQ(steps.ScoreOf(0), 50);
    EXPECT_EQ(steps.ScoreOf(-1), 49);
    EXPECT_EQ(steps.ScoreOf(-100 * scale), 0);
    EXPECT_EQ(steps.ScoreOf(100 * scale), 99);
  }
}

class FragmentationTest : public ::testing::Test {
 protected:
  ShapeId Part(int64_t milli) { return world_.Member({{"share of nvidia.com/gpu", milli}}); }
  void SetMix(const std::vector<std::pair<ShapeId, int64_t>>& shapes) {
    std::vector<MixShape> mix;
    for (const auto& [shape, weight] : shapes) mix.push_back({shape, Device(shape), weight});
    fragmentation_.SetMix(world_.cluster(), {mix, {}});
    fragmentation_.Follow(world_.cluster());
  }
  ResourceId Device(ShapeId shape) {
    const Resources& request = world_.cluster().shapes().Get(shape).request;
    const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
    return request.share().Any() || request.Get(gpu) > 0 ? gpu : ResourceId::None();
  }
  HostId Host(const std::string& name) {
    return world_.cluster().topology().HostOf(world_.cluster().FindNode(name));
  }
  static int64_t Cost(Fragmentation& of, const Cluster& cluster, HostId host, ShapeId shape,
                      int32_t members) {
    return of.Cost(of.CostsOf(cluster, shape), host, members);
  }
  int64_t Of(const std::string& name) { return fragmentation_.Of(Host(name)); }
  PlacementAnswer Place(ShapeId shape, int32_t count) {
    PlacementRequest request;
    request.roles = {{shape, count}};
    request.fragmentation = &fragmentation_;
    return world_.Place(request);
  }

  PlaceWorld world_;
  Fragmentation fragmentation_;
};

// What a shape can not use is a fragment for it; a shape without devices can use none.
TEST_F(FragmentationTest, WhatNoShapeCanUseIsAFragment) {
  world_.AddHost("a", 1);
  world_.AddHost("b", 2);
  world_.AddHost("c", 0);
  const ShapeId cpu = world_.Member({{"cpu", 1'000}});
  SetMix({{world_.Gpus(1), 1}, {world_.Gpus(2), 2}, {cpu, 5}});
  EXPECT_EQ(Of("a"), 0 + 2 * 1000 + 5 * 1000);
  EXPECT_EQ(Of("b"), 0 + 0 + 5 * 2000);
  EXPECT_EQ(Of("c"), 0);
  EXPECT_EQ(fragmentation_.LeftMilli(), 3000);
  EXPECT_TRUE(fragmentation_.Sum() == 7000 + 10'000);
}

// Devices are there, and the CPUs beside them are gone, or the node keeps the shape away.
TEST_F(FragmentationTest, DevicesWithoutCpuOrOfTheWrongKindAreFragments) {
  world_.AddHost("plain", 2);
  world_.AddHost("no-cpu", 2).allocatable["cpu"] = 500;
  world_.AddHost("other", 2).labels["model"] = "T4";
  Shape selected;
  selected.node_selector = {{"model", "T4"}};
  const ShapeId on_t4 = world_.Member({{kGpu, 1}, {"cpu", 1'000}}, selected);
  SetMix({{world_.Gpus(1), 1}, {on_t4, 1}});
  EXPECT_EQ(Of("plain"), 2000);
  EXPECT_EQ(Of("no-cpu"), 4000);
  EXPECT_EQ(Of("other"), 0);
}

TEST_F(FragmentationTest, PartsOfDevicesThatAreTooSmallAreFragments) {
  world_.AddHost("a", 3);
  const ShapeId half = Part(500);
  world_.cluster().ledger().Book(PodId(90), world_.Id("a"), BookingKind::kBound,
                                 world_.cluster().shapes().Get(Part(700)).request);
  SetMix({{half, 1}, {world_.Gpus(1), 1}});
  EXPECT_EQ(Of("a"), 300 + 300);  // two are idle, 300 are left of the third
}

TEST_F(FragmentationTest, MembersGoWhereTheyAddTheLeast) {
  world_.AddHost("a", 8);
  world_.AddHost("b", 3);
  world_.AddHost("c", 5);
  SetMix({{world_.Gpus(2), 1}});
  // Nowhere is a single device left: of equal ones the host with the least left.
  EXPECT_EQ(world_.Where(Place(world_.Gpus(1), 1)), "b:1");
  EXPECT_EQ(world_.Where(Place(world_.Gpus(1), 5)), "c:5");
  // On c one device would be left, which no member of two can use.
  EXPECT_EQ(world_.Where(Place(world_.Gpus(4), 1)), "a:1");
  // On b as well.
  EXPECT_EQ(world_.Where(Place(world_.Gpus(2), 1)), "c:1");
}

TEST_F(FragmentationTest, WithoutAMixTheFirstHostIsTaken) {
  world_.AddHost("a", 8);
  world_.AddHost("b", 3);
  PlacementRequest request;
  request.roles = {{world_.Gpus(1), 1}};
  EXPECT_EQ(world_.Where(world_.Place(request)), "a:1");
}

// Random bookings: the value of each host and the cost of each choice equal those of a fresh one.
TEST_F(FragmentationTest, WhatIsKeptEqualsARecomputation) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 6; ++i) world_.AddHost("h" + std::to_string(i), 8);
  const std::vector<ShapeId> shapes = {world_.Gpus(1),
                                       world_.Gpus(2),
                                       world_.Gpus(4),
                                       Part(300),
                                       Part(500),
                                       Part(900),
                                       world_.Member({{"cpu", 9'000}})};
  std::vector<std::pair<ShapeId, int64_t>> mix;
  for (const ShapeId shape : shapes)
    mix.emplace_back(shape, 1 + static_cast<int64_t>(random() % 9));
  SetMix(mix);
  Cluster& cluster = world_.cluster();
  for (int step = 0; step < 400; ++step) {
    const PodId pod(100 + static_cast<uint32_t>(random() % 30));
    const NodeId node = world_.Id("h" + std::to_string(random() % 6));
    const ShapeId shape = shapes[random() % shapes.size()];
    cluster.ledger().Release(pod);
    if (cluster.Slots(node, shape) > 0) {
      cluster.ledger().Book(pod, node, BookingKind::kHeld, cluster.shapes().Get(shape).request);
    }
    fragmentation_.Follow(cluster);
    Fragmentation fresh;
    fresh.SetMix(cluster, fragmentation_.mix());
    fresh.Follow(cluster);
    for (uint32_t i = 0; i < 6; ++i) {
      const HostId host(i);
      ASSERT_EQ(fragmentation_.Of(host), fresh.Of(host)) << step;
      for (const ShapeId asked : shapes) {
        const int64_t slots = cluster.Slots(cluster.topology().host(host).node, asked);
        for (int32_t k = 1; k <= std::min<int64_t>(slots, 2); ++k) {
          ASSERT_EQ(Cost(fragmentation_, cluster, host, asked, k),
                    Cost(fresh, cluster, host, asked, k))
              << step;
        }
      }
    }
  }
}

// The cost is what booking the members really changes.
TEST_F(FragmentationTest, TheCostIsWhatBookingChanges) {
  std::mt19937_64 random(12);
  world_.AddHost("a", 4);
  const std::vector<ShapeId> shapes = {world_.Gpus(1), world_.Gpus(2), Part(300), Part(600)};
  SetMix({{shapes[0], 3}, {shapes[1], 2}, {shapes[2], 4}, {shapes[3], 1}});
  Cluster& cluster = world_.cluster();
  const NodeId node = world_.Id("a");
  const ScoreSteps steps(10 * 1000);
  for (int step = 0; step < 300; ++step) {
    const PodId pod(100 + static_cast<uint32_t>(random() % 6));
    cluster.ledger().Release(pod);
    const ShapeId shape = shapes[random() % shapes.size()];
    if (cluster.Slots(node, shape) == 0) continue;
    fragmentation_.Follow(cluster);
    const int64_t before = Of("a");
    const int64_t cost = Cost(fragmentation_, cluster, Host("a"), shape, 1);
    cluster.ledger().Book(pod, node, BookingKind::kHeld, cluster.shapes().Get(shape).request);
    fragmentation_.Follow(cluster);
    const int64_t left = fragmentation_.LeftMilli();
    const int64_t added = Of("a") - before + 10 * left / 200;
    ASSERT_EQ(Fragmentation::ScorePart(cost), 100 - steps.ScoreOf(-added)) << step;
    ASSERT_EQ(Fragmentation::LeftPart(cost), left) << step;
  }
}

}  // namespace
}  // namespace phalanx::test

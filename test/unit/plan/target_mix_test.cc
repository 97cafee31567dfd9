// What waits and came lately, as a mix: what counts how much, when it is made anew, and that the
// order of events changes nothing.
#include "core/plan/target_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phalanx {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class TargetMixTest : public ::testing::Test {
 protected:
  ShapeId Shaped(const QuantityMap& quantities) {
    Shape shape;
    shape.request = Resources::From(quantities, cluster_.resources());
    return cluster_.shapes().Intern(std::move(shape));
  }
  ShapeId Gpus(int64_t count) { return Shaped({{"nvidia.com/gpu", count}}); }
  void Come(ShapeId shape, int times, Time now = {}) {
    for (int i = 0; i < times; ++i) mix_.Came({shape}, now);
  }
  Mix MakeAll(const TargetMix::Counts& waiting = {}, Time now = {}) {
    return mix_.Make(
        cluster_, waiting, [](const std::string& name) { return name.starts_with("nvidia.com/"); },
        now);
  }
  std::vector<MixShape> Make(const TargetMix::Counts& waiting = {}, Time now = {}) {
    return MakeAll(waiting, now).shapes;
  }
  // Weight in members; 0: not in the mix.
  static double Weight(const std::vector<MixShape>& mix, ShapeId shape) {
    for (const MixShape& entry : mix) {
      if (entry.shape == shape) return static_cast<double>(entry.weight) / TargetMix::kOne;
    }
    return 0;
  }

  Cluster cluster_;
  TargetMix mix_;
};

constexpr Time At(int half_lives) { return Time{half_lives * TargetMix::kHalfLife.ms}; }

TEST_F(TargetMixTest, NothingCameNothingCounts) {
  EXPECT_FALSE(mix_.Due({}));
  EXPECT_THAT(Make(), IsEmpty());
}

TEST_F(TargetMixTest, WhatCameFadesAndWhatWaitsDoesNot) {
  Come(Gpus(1), 8);
  Come(Gpus(8), 8);
  const auto mix = Make({{{Gpus(8)}, 8}}, At(2));
  EXPECT_EQ(Weight(mix, Gpus(1)), 2);
  EXPECT_EQ(Weight(mix, Gpus(8)), (2 + 8) / 8.0);
  EXPECT_EQ(Weight(Make({{{Gpus(8)}, 1}}, At(40)), Gpus(8)), 1 / 8.0);
  EXPECT_EQ(Weight(Make({}, At(41)), Gpus(1)), 0);
}

TEST_F(TargetMixTest, NamesTheDeviceOfEachShape) {
  const ShapeId part = Shaped({{"share of nvidia.com/gpu", 300}, {"cpu", 1}});
  const ShapeId cpu = Shaped({{"cpu", 1}});
  Come(part, 1);
  Come(cpu, 1);
  Come(Gpus(1), 1);
  const auto mix = Make();
  ASSERT_THAT(mix, SizeIs(3));
  for (const MixShape& entry : mix) {
    const ResourceId gpu = cluster_.resources().Find("nvidia.com/gpu");
    EXPECT_EQ(entry.device, entry.shape == cpu ? ResourceId::None() : gpu);
  }
  EXPECT_EQ(Weight(mix, cpu), 1);
  EXPECT_EQ(Weight(mix, Gpus(1)), 1);
  EXPECT_NEAR(Weight(mix, part), 1 / 0.3, 0.01);
}

TEST_F(TargetMixTest, KeepsTheHeaviestThatMakeUpMostOfIt) {
  Come(Gpus(1), 90);
  Come(Gpus(2), 6);
  Come(Gpus(3), 2);
  Come(Gpus(4), 2);
  EXPECT_THAT(Make(), SizeIs(2));
  for (int i = 10; i < 200; ++i) Come(Gpus(i), 100);
  EXPECT_THAT(Make(), SizeIs(64));
}

// Ids are handed out in the order of arrival; shapes of equal weight may not be told apart by them.
TEST_F(TargetMixTest, AnotherOrderGivesTheSameMix) {
  std::vector<QuantityMap> kept[2];
  for (int order : {0, 1}) {
    Cluster cluster;
    TargetMix mix;
    for (int i = 0; i < 100; ++i) {
      Shape shape;
      const int gpus = order == 0 ? 1 + i : 100 - i;
      shape.request = Resources::From({{"nvidia.com/gpu", gpus}}, cluster.resources());
      mix.Came({cluster.shapes().Intern(std::move(shape))}, {});
    }
    const auto is_device = [](const std::string&) { return true; };
    for (const MixShape& entry : mix.Make(cluster, {}, is_device, {}).shapes) {
      kept[order].push_back(cluster.shapes().Get(entry.shape).request.ToMap(cluster.resources()));
    }
  }
  EXPECT_THAT(kept[0], SizeIs(64));
  EXPECT_EQ(kept[0], kept[1]);
}

// Two gangs of 4 × 8 and one of 16 × 2 ask for as many devices as 32 gangs of one with 2 each.
TEST_F(TargetMixTest, SizesOfGangsCountByTheDevicesThatTheyAskFor) {
  const ShapeId part = Shaped({{"share of nvidia.com/gpu", 300}});
  for (int i = 0; i < 8; ++i) mix_.Came({Gpus(8), 4}, {});
  for (int i = 0; i < 16; ++i) mix_.Came({Gpus(2), 16}, {});
  for (int i = 0; i < 16; ++i) mix_.Came({Gpus(2), 1}, {});
  for (int i = 0; i < 100; ++i) mix_.Came({Gpus(1), 1}, {});
  for (int i = 0; i < 100; ++i) mix_.Came({part, 8}, {});
  mix_.Came({Shaped({{"cpu", 1}}), 64}, {});
  const auto gangs = MakeAll().gangs;
  ASSERT_THAT(gangs, SizeIs(2));
  EXPECT_EQ(gangs[0].devices, 32);
  EXPECT_EQ(gangs[0].weight, 3 * gangs[1].weight);
  EXPECT_EQ(gangs[1].devices, 2);
  EXPECT_EQ(gangs[1].device, cluster_.resources().Find("nvidia.com/gpu"));
}

TEST_F(TargetMixTest, KeepsTheEightSizesThatCountMost) {
  for (int gang = 2; gang <= 20; ++gang) {
    for (int i = 0; i < gang; ++i) mix_.Came({Gpus(1), gang}, {});
  }
  const auto gangs = MakeAll().gangs;
  ASSERT_THAT(gangs, SizeIs(8));
  EXPECT_EQ(gangs.front().devices, 20);
  EXPECT_EQ(gangs.back().devices, 13);
}

TEST_F(TargetMixTest, IsDueWhenMuchCameAndFromTimeToTime) {
  Come(Gpus(1), 1);
  EXPECT_TRUE(mix_.Due({}));
  Come(Gpus(1), 9);
  Make();
  EXPECT_FALSE(mix_.Due({}));
  Come(Gpus(1), 1);
  EXPECT_FALSE(mix_.Due({}));
  Come(Gpus(1), 1);
  EXPECT_TRUE(mix_.Due({}));
  Make();
  EXPECT_FALSE(mix_.Due(Time{TargetMix::kHalfLife.ms / 4 - 1}));
  EXPECT_TRUE(mix_.Due(Time{TargetMix::kHalfLife.ms / 4}));
}

}  // namespace
}  // namespace phalanx

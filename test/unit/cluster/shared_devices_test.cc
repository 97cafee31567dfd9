// Pods that share a device: which one each gets, what is left, and that such a device is not there
// for whoever asks for whole ones.
#include "core/cluster/shared_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/cluster/cluster.h"

namespace phalanx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ResourceId kGpu(0);
constexpr NodeId kNode(0);

DeviceShare Part(int32_t milli) { return {kGpu, milli}; }

TEST(SharedDevicesTest, APartGoesWhereTheLeastIsLeftThatSuffices) {
  SharedDevices shared;
  shared.Take(PodId(1), kNode, Part(600));
  shared.Take(PodId(2), kNode, Part(700));  // 400 are not enough
  EXPECT_THAT(shared.Left(kNode, kGpu), ElementsAre(300, 400));
  shared.Take(PodId(3), kNode, Part(300));  // both would do
  EXPECT_THAT(shared.Left(kNode, kGpu), ElementsAre(0, 400));
  EXPECT_EQ(shared.Count(kNode, kGpu), 2);
  EXPECT_EQ(shared.Slots(kNode, Part(100)), 4);
  EXPECT_EQ(shared.Slots(kNode, Part(300)), 1);
  EXPECT_EQ(shared.Count(NodeId(7), kGpu), 0);
  EXPECT_TRUE(shared.Check());
}

// A member is held and then bound: it stays where it is, though another device would fit better by
// then.
TEST(SharedDevicesTest, APodKeepsItsDevice) {
  SharedDevices shared;
  shared.Take(PodId(1), kNode, Part(500));
  shared.Take(PodId(2), kNode, Part(700));
  shared.Take(PodId(3), kNode, Part(400));  // beside pod 1
  shared.Give(PodId(1));
  shared.Take(PodId(3), kNode, Part(400));
  EXPECT_THAT(shared.Left(kNode, kGpu), ElementsAre(300, 600));
  shared.Take(PodId(3), NodeId(1), Part(400));
  EXPECT_THAT(shared.Left(kNode, kGpu), ElementsAre(300));
  EXPECT_THAT(shared.Left(NodeId(1), kGpu), ElementsAre(600));
}

TEST(SharedDevicesTest, ADeviceThatNobodySharesAnyMoreIsNoSharedOne) {
  SharedDevices shared;
  shared.Take(PodId(1), kNode, Part(500));
  shared.Give(PodId(1));
  shared.Give(PodId(1));
  EXPECT_EQ(shared.Count(kNode, kGpu), 0);
  EXPECT_THAT(shared.Left(kNode, kGpu), IsEmpty());
  shared.Take(PodId(2), kNode, {ResourceId(1), 900});  // the entry serves another resource
  EXPECT_EQ(shared.Count(kNode, kGpu), 0);
  EXPECT_EQ(shared.Count(kNode, ResourceId(1)), 1);
  EXPECT_TRUE(shared.Check());
}

TEST(SharedDevicesTest, SumsEqualARecomputationAfterAnything) {
  std::mt19937_64 random(7);
  SharedDevices shared;
  for (int i = 0; i < 5'000; ++i) {
    const PodId pod(static_cast<uint32_t>(random() % 40));
    if (random() % 3 == 0) {
      shared.Give(pod);
    } else {
      shared.Take(pod, NodeId(static_cast<uint32_t>(random() % 3)),
                  Part(static_cast<int32_t>(1 + random() % 999)));
    }
    ASSERT_TRUE(shared.Check()) << i;
  }
}

class SharedClusterTest : public ::testing::Test {
 protected:
  SharedClusterTest() {
    NodeObject node;
    node.name = node.uid = "n1";
    node.allocatable = {{"nvidia.com/gpu", 2}, {"cpu", 8'000}};
    node_ = cluster_.UpsertNode(node);
    cluster_.RefreshTopology();
  }
  Resources Of(const QuantityMap& quantities) {
    return Resources::From(quantities, cluster_.resources());
  }
  ShapeId Shaped(const QuantityMap& quantities) {
    Shape shape;
    shape.request = Of(quantities);
    return cluster_.shapes().Intern(std::move(shape));
  }
  void Book(uint32_t pod, const QuantityMap& quantities) {
    cluster_.ledger().Book(PodId(pod), node_, BookingKind::kBound, Of(quantities));
  }

  Cluster cluster_;
  NodeId node_;
};

TEST_F(SharedClusterTest, WholeAndSharedDevicesAreTheSameDevices) {
  const ShapeId whole = Shaped({{"nvidia.com/gpu", 1}});
  const ShapeId part = Shaped({{"share of nvidia.com/gpu", 400}});
  EXPECT_EQ(cluster_.Slots(node_, whole), 2);
  EXPECT_EQ(cluster_.Slots(node_, part), 4);
  Book(1, {{"share of nvidia.com/gpu", 500}});
  EXPECT_EQ(cluster_.Slots(node_, whole), 1);
  EXPECT_EQ(cluster_.Slots(node_, part), 3);
  Book(2, {{"nvidia.com/gpu", 1}});
  EXPECT_EQ(cluster_.Slots(node_, whole), 0);
  EXPECT_EQ(cluster_.Slots(node_, part), 1);
  Book(3, {{"share of nvidia.com/gpu", 300}});
  EXPECT_EQ(cluster_.Slots(node_, part), 0);
  const auto out = cluster_.WhyOut(node_, part);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->cause, ExclusionCause::kResourceInUse);
  EXPECT_EQ(out->detail, "nvidia.com/gpu");
  EXPECT_EQ(cluster_.SlotsWhenEmpty(node_, part), 4);
  cluster_.ledger().Release(PodId(1));
  cluster_.ledger().Release(PodId(3));
  EXPECT_EQ(cluster_.Slots(node_, whole), 1);
  EXPECT_TRUE(cluster_.ledger().CheckSums());
}

TEST_F(SharedClusterTest, ASmallerPartIsAnotherRequest) {
  EXPECT_NE(Of({{"share of nvidia.com/gpu", 400}}), Of({{"share of nvidia.com/gpu", 500}}));
  EXPECT_EQ(Of({{"share of nvidia.com/gpu", 0}}), Of({}));
  EXPECT_EQ(Of({{"share of nvidia.com/gpu", 400}, {"cpu", 1}}).ToMap(cluster_.resources()),
            (QuantityMap{{"cpu", 1}, {"share of nvidia.com/gpu", 400}}));
  EXPECT_EQ(Of({{"share of nvidia.com/gpu", 400}}).InWholeDevices(), Of({{"nvidia.com/gpu", 1}}));
}

}  // namespace
}  // namespace phalanx

#include "core/cluster/cluster.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";

NodeObject Node(std::string name, int64_t gpus, LabelMap labels = {}) {
  NodeObject node;
  node.name = name;
  node.uid = "uid-" + name;
  node.labels = std::move(labels);
  node.allocatable = {{kGpu, gpus}, {"cpu", 64'000}, {"pods", 110}};
  return node;
}

class ClusterTest : public testing::Test {
 protected:
  ShapeId Gpus(int64_t count, Shape shape = {}) {
    shape.request =
        Resources::From({{kGpu, count}, {"cpu", 1'000}, {"pods", 1}}, cluster_.resources());
    return cluster_.shapes().Intern(shape);
  }
  void Use(uint32_t pod, NodeId node, QuantityMap amount, BookingKind kind = BookingKind::kBound) {
    cluster_.ledger().Book(PodId(pod), node, kind, Resources::From(amount, cluster_.resources()));
  }
  std::string Why(NodeId node, ShapeId shape) {
    const auto out = cluster_.WhyOut(node, shape);
    return out ? std::to_string(static_cast<int>(out->cause)) + " " + out->detail : "";
  }

  Cluster cluster_;
};

std::string Cause(ExclusionCause cause, std::string detail) {
  return std::to_string(static_cast<int>(cause)) + " " + detail;
}

TEST_F(ClusterTest, SlotsAreTheMinimumOverResources) {
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  EXPECT_EQ(cluster_.Slots(node, Gpus(2)), 4);
  Use(1, node, {{kGpu, 3}});
  EXPECT_EQ(cluster_.Slots(node, Gpus(2)), 2);
  Use(2, node, {{"pods", 109}}, BookingKind::kHeld);
  EXPECT_EQ(cluster_.Slots(node, Gpus(2)), 1);
  EXPECT_EQ(cluster_.SlotsWhenEmpty(node, Gpus(2)), 4);
}

TEST_F(ClusterTest, AShapeThatAsksForNothingIsBoundedByTheLargestGang) {
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  EXPECT_EQ(cluster_.Slots(node, cluster_.shapes().Intern({})), kMaxGangSize);
}

TEST_F(ClusterTest, AllocatableThatFellLeavesFreeNegativeAndNoSlots) {
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  Use(1, node, {{kGpu, 6}});
  cluster_.UpsertNode(Node("a", 4));
  EXPECT_EQ(cluster_.Free(node, cluster_.resources().Find(kGpu)), -2);
  EXPECT_EQ(cluster_.Slots(node, Gpus(1)), 0);
  EXPECT_EQ(Why(node, Gpus(1)), Cause(ExclusionCause::kResourceInUse, kGpu));
  EXPECT_EQ(Why(node, Gpus(8)), Cause(ExclusionCause::kResourceAbsent, kGpu));
  EXPECT_EQ(cluster_.SlotsWhenEmpty(node, Gpus(8)), 0);
}

// Overuse of one resource does not matter to a shape that does not ask for it.
TEST_F(ClusterTest, OnlyRequestedResourcesCount) {
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  Use(1, node, {{"memory", 1'000}});
  EXPECT_EQ(cluster_.Slots(node, Gpus(8)), 1);
}

TEST_F(ClusterTest, PodsBoundToANameCountBeforeAndAfterTheNodeIsKnown) {
  const NodeId early = cluster_.NodeForName("a");
  Use(1, early, {{kGpu, 5}});
  EXPECT_FALSE(cluster_.FindNode("a").valid());
  EXPECT_EQ(cluster_.Slots(early, Gpus(1)), 0);
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  EXPECT_EQ(node, early);
  EXPECT_EQ(cluster_.Slots(node, Gpus(1)), 3);
  cluster_.RemoveNode("a");
  EXPECT_EQ(cluster_.ledger().Used(node, cluster_.resources().Find(kGpu)), 5);
  EXPECT_EQ(cluster_.Slots(node, Gpus(1)), 0);
}

TEST_F(ClusterTest, ANewUidIsANewIncarnationAndANewGeneration) {
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  cluster_.RefreshTopology();
  const uint64_t generation = cluster_.topology().generation();
  const uint64_t incarnation = cluster_.node(node).incarnation;
  NodeObject again = Node("a", 8);
  again.uid = "other";
  EXPECT_EQ(cluster_.UpsertNode(again), node);
  EXPECT_EQ(cluster_.node(node).incarnation, incarnation + 1);
  cluster_.RefreshTopology();
  EXPECT_GT(cluster_.topology().generation(), generation);
}

TEST_F(ClusterTest, OnlyNodesAndTopologyLabelsMakeANewGeneration) {
  NodeObject node = Node("a", 8, {{"topology.kubernetes.io/zone", "z"}});
  cluster_.UpsertNode(node);
  cluster_.RefreshTopology();
  const uint64_t generation = cluster_.topology().generation();
  node.unschedulable = true;
  node.ready = false;
  node.labels["color"] = "red";
  node.allocatable[kGpu] = 4;
  cluster_.UpsertNode(node);
  cluster_.RefreshTopology();
  EXPECT_EQ(cluster_.topology().generation(), generation);
  node.labels["topology.kubernetes.io/zone"] = "y";
  cluster_.UpsertNode(node);
  cluster_.RefreshTopology();
  EXPECT_EQ(cluster_.topology().generation(), generation + 1);
}

TEST_F(ClusterTest, RemovingTakesTheHostOutOfTheTopology) {
  const NodeId a = cluster_.UpsertNode(Node("a", 8));
  const NodeId b = cluster_.UpsertNode(Node("b", 8));
  cluster_.RemoveNode("a");
  cluster_.RemoveNode("never-seen");
  cluster_.RefreshTopology();
  EXPECT_FALSE(cluster_.topology().HostOf(a).valid());
  EXPECT_EQ(cluster_.topology().HostOf(b), HostId(0));
  EXPECT_EQ(cluster_.present_nodes(), std::vector{b});
}

TEST_F(ClusterTest, WhyOutNamesTheFirstCause) {
  NodeObject object = Node("a", 8, {{"gpu", "a100"}});
  const NodeId node = cluster_.UpsertNode(object);
  Shape shape;
  shape.node_selector = {{"gpu", "h100"}};
  EXPECT_EQ(Why(node, Gpus(1)), "");
  EXPECT_EQ(Why(node, Gpus(1, shape)), Cause(ExclusionCause::kSelector, "gpu=h100"));
  object.taints = {{"sku", "gpu", TaintEffect::kNoSchedule}};
  cluster_.UpsertNode(object);
  EXPECT_EQ(Why(node, Gpus(1, shape)), Cause(ExclusionCause::kTaint, "sku=gpu:NoSchedule"));
  object.unschedulable = true;
  cluster_.UpsertNode(object);
  EXPECT_EQ(Why(node, Gpus(1, shape)), Cause(ExclusionCause::kUnschedulable, ""));
  EXPECT_EQ(cluster_.Slots(node, Gpus(1)), 0);
  EXPECT_EQ(cluster_.SlotsWhenEmpty(node, Gpus(1, shape)), 0);
}

// cpu and GPUs are both in use: the answer must not depend on which name was seen first.
TEST_F(ClusterTest, TheFirstResourceByNameIsBlamed) {
  cluster_.resources().Intern("z");
  const NodeId node = cluster_.UpsertNode(Node("a", 8));
  Use(1, node, {{kGpu, 8}, {"cpu", 64'000}});
  EXPECT_EQ(Why(node, Gpus(1)), Cause(ExclusionCause::kResourceInUse, "cpu"));
}

TEST(ClusterScopeTest, NodesOutsideTheScopeTakeNobody) {
  Cluster cluster(LabelMap{{"pool", "gang"}});
  const NodeId out = cluster.UpsertNode(Node("a", 8));
  const NodeId in = cluster.UpsertNode(Node("b", 8, {{"pool", "gang"}}));
  const ShapeId any = cluster.shapes().Intern({});
  EXPECT_EQ(cluster.Slots(out, any), 0);
  EXPECT_EQ(cluster.SlotsWhenEmpty(out, any), 0);
  EXPECT_EQ(cluster.WhyOut(out, any)->cause, ExclusionCause::kOutOfScope);
  EXPECT_GT(cluster.Slots(in, any), 0);
}

TEST(ClusterCopyTest, AWhatIfLeavesNoTrace) {
  Cluster cluster;
  const NodeId node = cluster.UpsertNode(Node("a", 8));
  const ShapeId shape =
      cluster.shapes().Intern({Resources::From({{kGpu, 1}}, cluster.resources()), {}, {}, {}});
  Cluster copy = cluster;
  copy.ledger().Book(PodId(1), node, BookingKind::kHeld,
                     Resources::From({{kGpu, 8}}, copy.resources()));
  copy.RemoveNode("a");
  EXPECT_EQ(cluster.Slots(node, shape), 8);
  EXPECT_EQ(copy.Slots(node, shape), 0);
}

}  // namespace
}  // namespace phalanx

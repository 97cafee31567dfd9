// The shape index equals a recomputation after whatever happens to nodes, labels and bookings.
#include "core/cluster/shape_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/cluster/cluster.h"

namespace phalanx {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
using Random = std::mt19937_64;

uint64_t Below(Random& random, uint64_t bound) { return random() % bound; }

ShapeId InternShape(Cluster& cluster, QuantityMap request, LabelMap selector = {}) {
  Shape shape;
  shape.request = Resources::From(request, cluster.resources());
  shape.node_selector = std::move(selector);
  return cluster.shapes().Intern(std::move(shape));
}

NodeObject RandomNode(Random& random) {
  NodeObject node;
  node.name = fmt::format("n{}", Below(random, 12));
  node.uid = fmt::format("uid-{}", Below(random, 3));
  if (Below(random, 5) > 0) {
    node.labels["topology.kubernetes.io/zone"] = fmt::format("z{}", Below(random, 2));
  }
  if (Below(random, 5) > 0) {
    node.labels["fabric.topograph.run/tier-0"] = fmt::format("l{}", Below(random, 3));
  }
  if (Below(random, 2) == 0) node.labels["model"] = "h100";
  if (Below(random, 6) == 0) node.taints.push_back({fmt::format("t{}", Below(random, 3)), "", {}});
  node.unschedulable = Below(random, 8) == 0;
  node.ready = Below(random, 8) > 0;
  node.allocatable = {{kGpu, static_cast<int64_t>(Below(random, 9))}, {"cpu", 10}, {"pods", 4}};
  return node;
}

// One change of the world.
void Change(Cluster& cluster, Random& random) {
  switch (Below(random, 6)) {
    case 0:
      cluster.UpsertNode(RandomNode(random));
      return;
    case 1:
      if (Below(random, 4) == 0) cluster.RemoveNode(fmt::format("n{}", Below(random, 12)));
      return;
    case 2:
      cluster.ledger().Release(PodId(static_cast<uint32_t>(Below(random, 20))));
      return;
    default: {
      const QuantityMap amount = {{kGpu, static_cast<int64_t>(Below(random, 4))}, {"pods", 1}};
      cluster.ledger().Book(PodId(static_cast<uint32_t>(Below(random, 20))),
                            cluster.NodeForName(fmt::format("n{}", Below(random, 12))),
                            Below(random, 2) == 0 ? BookingKind::kBound : BookingKind::kHeld,
                            Resources::From(amount, cluster.resources()));
    }
  }
}

void ExpectSlots(const Cluster& cluster, ShapeId shape) {
  const Topology& topology = cluster.topology();
  std::vector<int32_t> now;
  for (const Topology::Host& host : topology.hosts()) {
    now.push_back(static_cast<int32_t>(cluster.Slots(host.node, shape)));
  }
  EXPECT_EQ(cluster.SlotsOf(shape), SlotTree(topology, std::move(now)));
}

void ExpectBlame(const Cluster& cluster, ShapeId shape) {
  const Topology& topology = cluster.topology();
  const BlameTable& table = cluster.BlameOf(shape);
  std::vector<int32_t> ever;
  const auto& entries = cluster.shapes().Get(shape).request.entries();
  std::vector<std::vector<int64_t>> free(entries.size());
  for (uint32_t i = 0; i < topology.hosts().size(); ++i) {
    const NodeId node = topology.hosts()[i].node;
    ever.push_back(static_cast<int32_t>(cluster.SlotsWhenEmpty(node, shape)));
    const auto out = cluster.WhyOut(node, shape);
    ASSERT_EQ(out.has_value(), table.cause[i] != BlameTable::kTakes);
    if (out) {
      EXPECT_EQ(*out, table.causes[table.cause[i]]);
    }
    const bool filtered = out && !IsResourceCause(out->cause);
    for (size_t r = 0; r < entries.size(); ++r) {
      const int64_t here = cluster.Free(node, entries[r].first);
      free[r].push_back(filtered || here < 0 ? 0 : here);
    }
  }
  EXPECT_EQ(table.ever, SlotTree(topology, std::move(ever)));
  ASSERT_EQ(table.free.size(), entries.size());
  for (size_t r = 0; r < entries.size(); ++r) {
    EXPECT_EQ(table.free[r], QuantityTree(topology, std::move(free[r])));
  }
}

TEST(ShapeIndexTest, EqualsARecomputationAfterAnySequenceOfChanges) {
  Random random(20261130);
  for (int world = 0; world < 20 && !testing::Test::HasFailure(); ++world) {
    Cluster cluster;
    const std::vector<ShapeId> shapes = {
        InternShape(cluster, {{kGpu, 1}, {"pods", 1}}), InternShape(cluster, {{kGpu, 3}}),
        InternShape(cluster, {{"cpu", 4}}, {{"model", "h100"}}), InternShape(cluster, {})};
    for (int step = 0; step < 300 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "world " << world << " step " << step);
      for (uint64_t i = Below(random, 6); i-- > 0;) Change(cluster, random);
      cluster.RefreshTopology();
      const ShapeId shape = shapes[Below(random, shapes.size())];
      ExpectSlots(cluster, shape);
      if (Below(random, 2) == 0) ExpectBlame(cluster, shape);
    }
  }
}

// A what-if on a copy leaves no trace, and neither sees the changes of the other.
TEST(ShapeIndexTest, ACopyGoesItsOwnWay) {
  Random random(7);
  Cluster cluster;
  const ShapeId shape = InternShape(cluster, {{kGpu, 1}});
  for (int i = 0; i < 60; ++i) Change(cluster, random);
  cluster.RefreshTopology();
  const SlotTree before = cluster.SlotsOf(shape);
  Cluster copy = cluster;
  for (int i = 0; i < 20; ++i) Change(copy, random);
  copy.RefreshTopology();
  ExpectSlots(copy, shape);
  EXPECT_EQ(cluster.SlotsOf(shape), before);
  ExpectSlots(cluster, shape);
}

TEST(ShapeIndexTest, ReadersThatAreTooFarBehindStartAnew) {
  Cluster cluster;
  NodeObject node;
  node.name = "n";
  node.allocatable = {{kGpu, 8}};
  const NodeId id = cluster.UpsertNode(node);
  cluster.RefreshTopology();
  const ShapeId shape = InternShape(cluster, {{kGpu, 1}});
  EXPECT_EQ(cluster.SlotsOf(shape).Sum(), 8);
  const uint64_t read = cluster.ledger().changes().end();
  const Resources one = Resources::From({{kGpu, 1}}, cluster.resources());
  for (size_t i = 0; i < ChangeLog::kMost; ++i) {
    cluster.ledger().Book(PodId(1), id, BookingKind::kHeld, one);
  }
  EXPECT_FALSE(cluster.ledger().changes().Since(read).has_value());
  EXPECT_EQ(cluster.SlotsOf(shape).Sum(), 7);
  const uint64_t later = cluster.ledger().changes().end();
  cluster.ledger().Release(PodId(1));
  ASSERT_TRUE(cluster.ledger().changes().Since(later).has_value());
  EXPECT_EQ(cluster.ledger().changes().Since(later)->size(), 1u);
  EXPECT_EQ(cluster.SlotsOf(shape).Sum(), 8);
}

TEST(ShapeIndexTest, KeepsABoundedNumberOfShapesTheLatestFirst) {
  Cluster cluster;
  cluster.RefreshTopology();
  for (int i = 1; i <= 400; ++i) {
    cluster.SlotsOf(InternShape(cluster, {{kGpu, i}}));
  }
  EXPECT_EQ(cluster.shape_index().size(), 256u);
}

}  // namespace
}  // namespace phalanx

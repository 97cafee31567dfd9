// What declared traffic puts on the uplinks of domains.
#include "core/cluster/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/cluster/cluster.h"
#include "core/cluster/traffic.h"

namespace phalanx {
namespace {

using ::testing::ElementsAre;

// zone z ── leaf a ── a-0 a-1 a-2
//        └─ leaf b ── b-0 b-1 b-2
class LinkUsageTest : public ::testing::Test {
 protected:
  LinkUsageTest() {
    for (const char* leaf : {"a", "b"}) {
      for (int i = 0; i < 3; ++i) AddNode(std::string(leaf) + "-" + std::to_string(i), leaf);
    }
    cluster.DeclareTopology({{0,
                              true,
                              {{"zone", "zone", false, "", {100'000, true}},
                               {"leaf", "leaf", false, "", {50'000, false}}}}});
    cluster.RefreshTopology();
  }
  void AddNode(const std::string& name, const std::string& leaf) {
    NodeObject node;
    node.name = name;
    node.uid = "uid-" + name;
    node.labels = {{"zone", "z"}, {"leaf", leaf}};
    cluster.UpsertNode(node);
  }
  ShapeId Sends(const Traffic& traffic, const Segment& segment = {}) {
    Shape shape;
    shape.traffic = traffic;
    shape.segment = segment;
    return cluster.shapes().Intern(shape);
  }
  void Book(uint32_t pod, const std::string& node, uint32_t gang, ShapeId shape) {
    cluster.ledger().Book(PodId(pod), cluster.NodeForName(node), BookingKind::kBound, {},
                          {GangId(gang), shape});
  }
  int64_t Over(ShapeId shape, uint32_t level, int32_t inside, int32_t members) {
    return CrossingTraffic(cluster.topology(), cluster.shapes().Get(shape))
        .Over(LevelId(level), inside, members);
  }
  Cluster cluster;
};

// 8 members, 1 GB/s each: of those inside each sends 1/7 of it to each outside.
TEST_F(LinkUsageTest, FormulasByPattern) {
  const ShapeId ring = Sends({.dp = 1000}), line = Sends({.pp = 1000});
  const ShapeId all = Sends({.all_to_all = 1000}), experts = Sends({.ep = 1000});
  const ShapeId tensor = Sends({.tp = 1000});
  for (const int inside : {1, 4, 7}) {
    EXPECT_EQ(Over(ring, 1, inside, 8), 1000);
    EXPECT_EQ(Over(line, 1, inside, 8), 1000);
  }
  EXPECT_EQ(Over(all, 1, 1, 8), 1000);
  EXPECT_EQ(Over(all, 1, 4, 8), 2286);  // 16/7, rounded up
  EXPECT_EQ(Over(experts, 1, 3, 8), 2143);
  EXPECT_EQ(Over(tensor, 1, 3, 8), 3000);
  EXPECT_EQ(Over(tensor, 1, 6, 8), 2000);
  EXPECT_EQ(Over(Sends({.dp = 1000, .all_to_all = 1000}), 1, 4, 8), 3286);
}

TEST_F(LinkUsageTest, NothingCrossesWhereNobodyOrEverybodyIsInside) {
  const ShapeId shape = Sends({7, 7, 7, 7, 7}, {2, "leaf", ""});
  for (const int members : {1, 2, 9, 10'000}) {
    for (const uint32_t level : {0u, 1u, 2u}) {
      EXPECT_EQ(Over(shape, level, 0, members), 0);
      EXPECT_EQ(Over(shape, level, members, members), 0);
    }
  }
}

// Segments of 4 that are whole in a leaf cross no uplink of a leaf or of what is coarser.
TEST_F(LinkUsageTest, TensorParallelTrafficStaysInsideSegments) {
  const ShapeId whole = Sends({.tp = 1000}, {4, "leaf", ""});
  EXPECT_EQ(Over(whole, 1, 4, 12), 0);
  EXPECT_EQ(Over(whole, 0, 8, 12), 0);
  EXPECT_EQ(Over(whole, 1, 5, 12), 1000);  // one member is beside its segment
  EXPECT_EQ(Over(whole, 1, 7, 12), 1000);
  EXPECT_EQ(Over(whole, 2, 4, 12), 4000);  // below the leaf it may be four parts of segments
  EXPECT_EQ(Over(Sends({.tp = 1000}, {4, "", "leaf"}), 1, 4, 12), 4000);  // only preferred
}

TEST_F(LinkUsageTest, LargestNumbersDoNotOverflow) {
  const ShapeId shape = Sends({.tp = kMaxTrafficMBps, .all_to_all = kMaxTrafficMBps});
  EXPECT_EQ(Over(shape, 1, 5000, 10'000),
            int64_t{5000} * 10'000'000 + (int64_t{25'000'000} * 10'000'000 + 9998) / 9999);
}

TEST_F(LinkUsageTest, GangsAddUpAndMembersOfOneGangTalkToEachOther) {
  const ShapeId shape = Sends({.all_to_all = 1000});
  Book(1, "a-0", 1, shape);
  Book(2, "a-1", 1, shape);
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 0, 0));  // all in leaf a
  Book(3, "b-0", 1, shape);
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 1000, 1000));  // 2 × 1 / 2
  Book(4, "b-0", 2, shape);
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 1000, 1000));  // another gang, alone
  Book(5, "elsewhere", 2, shape);                                   // in no domain
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 1000, 1000, 2000));
  cluster.ledger().SetTalk(PodId(3), {});
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 1000, 0, 1000));
  cluster.ledger().Release(PodId(5));
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 0, 0));
}

TEST_F(LinkUsageTest, WhoSendsSomethingElseTalksToOthers) {
  Book(1, "a-0", 1, Sends({.dp = 1000}));
  Book(2, "b-0", 1, Sends({.dp = 2000}));
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 0, 0));
  Shape larger;
  larger.traffic = {.dp = 1000};
  larger.node_selector = {{"x", "y"}};
  Book(3, "b-1", 1, cluster.shapes().Intern(larger));
  EXPECT_THAT(cluster.LinkLoads(), ElementsAre(0, 0, 1000, 1000));
}

TEST_F(LinkUsageTest, UplinksAreThoseOfTheLevels) {
  const Topology& topology = cluster.topology();
  EXPECT_TRUE(topology.HasUplinks());
  EXPECT_EQ(topology.UplinkOf(topology.root()), Uplink());
  EXPECT_EQ(topology.UplinkOf(DomainId(1)), (Uplink{100'000, true}));
  EXPECT_EQ(topology.UplinkOf(DomainId(2)), (Uplink{50'000, false}));
}

TEST_F(LinkUsageTest, EqualsARecomputationThroughoutARandomHistory) {
  std::mt19937_64 random(11);
  const ShapeId shapes[] = {Sends({}), Sends({.dp = 1000}), Sends({.tp = 3, .all_to_all = 700}),
                            Sends({.tp = 900}, {2, "leaf", ""})};
  for (int step = 0; step < 3000; ++step) {
    const PodId pod(static_cast<uint32_t>(random() % 40));
    const std::string node = std::string(random() % 2 == 0 ? "a-" : "b-") +
                             std::to_string(random() % 4);  // one of them is not there
    const ShapeId shape = shapes[random() % 4];
    const bool talks = cluster.shapes().Get(shape).traffic.Any();
    const Talk talk = talks ? Talk{GangId(static_cast<uint32_t>(random() % 4)), shape} : Talk();
    const uint64_t what = random() % 10;
    if (what < 3) {
      cluster.ledger().Release(pod);
    } else if (what < 4) {
      cluster.ledger().SetTalk(pod, talk);
    } else if (what < 5 && step % 7 == 0) {
      AddNode("a-2", random() % 2 == 0 ? "a" : "b");
    } else {
      cluster.ledger().Book(pod, cluster.NodeForName(node), BookingKind::kHeld, {}, talk);
    }
    if (random() % 3 != 0) continue;
    cluster.RefreshTopology();
    EXPECT_TRUE(cluster.CheckLinkLoads());
    ASSERT_TRUE(cluster.ledger().CheckSums());
  }
}

}  // namespace
}  // namespace phalanx

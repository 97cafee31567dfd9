// Objects that declare the topology, while gangs wait and run.
#include "core/engine/declared.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRow[] = "example.com/row";

// Two racks of two hosts that are labelled as one row each, and across the racks as one hall.
class DeclaredTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<NodeObject> nodes = MakeRacks(2, 2, 1);
    for (NodeObject& node : nodes) {
      node.labels[kRow] = node.name.substr(0, 6);
      node.labels["example.com/hall"] = "h";
    }
    rig.SetNodes(nodes);
    rig.Start();
  }
  static ApiObject Declares(const std::string& kind, int32_t precedence,
                            std::vector<DeclaredLevel> levels, std::vector<Problem> problems = {}) {
    return {{kind, "", "default"},
            "uid-" + kind,
            DeclaredTopology{precedence, precedence == 0, std::move(levels)},
            std::move(problems)};
  }
  std::vector<std::string> Levels() const { return rig.engine.TopologySnapshot().levels; }
  Rig rig;
};

TEST_F(DeclaredTest, AGangThatWaitsForALevelStartsWhenItIsDeclared) {
  rig.AddPods(MakeGang({.size = 2, .required_level = "row"}));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kQueued);
  EXPECT_THAT(rig.View("train").explanation, HasSubstr("row"));
  rig.SetObject(Declares("ClusterTopology", 0, {{"row", kRow}}));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").domain, "rack-0");
}

TEST_F(DeclaredTest, RunningGangsStayWhereTheyAre) {
  rig.AddPods(MakeGang({.size = 2, .required_level = "nvlink"}));
  rig.Run();
  ASSERT_EQ(rig.View("train").phase, GangPhase::kRunning);
  const size_t sent = rig.log.size();
  rig.SetObject(Declares("ClusterTopology", 0, {{"hall", "example.com/hall"}}));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").bound, 2);
  for (size_t i = sent; i < rig.log.size(); ++i) {
    EXPECT_FALSE(std::holds_alternative<Evict>(rig.log[i].body));
  }
}

TEST_F(DeclaredTest, UplinksAreShownWithWhatGangsSend) {
  DeclaredLevel row{"row", kRow};
  row.uplink = {4000, true};
  rig.SetObject(Declares("ClusterTopology", 0, {row}));
  GangSpec spec{.size = 3};
  spec.traffic = {.all_to_all = 1000};
  rig.AddPods(MakeGang(spec));
  rig.Run();
  ASSERT_EQ(rig.View("train").phase, GangPhase::kRunning);
  const auto domains = rig.engine.TopologySnapshot().domains;
  ASSERT_EQ(domains.size(), 3u);
  EXPECT_EQ(domains[0].uplink_used_mbps, 0);  // the whole cluster
  for (const size_t row_at : {1, 2}) {
    EXPECT_EQ(domains[row_at].uplink, (Uplink{4000, true}));
    EXPECT_EQ(domains[row_at].uplink_used_mbps, 1000);  // 2 × 1 / 2 × 1 GB/s
  }
}

TEST_F(DeclaredTest, KindsHaveAPrecedence) {
  rig.SetObject(Declares("Topology.kai.scheduler", 2, {{"hall", "example.com/hall"}}));
  EXPECT_THAT(Levels(), ElementsAre("hall", "rack", "nvlink"));
  rig.SetObject(Declares("ClusterTopology", 0, {{"row", kRow}}));
  EXPECT_THAT(Levels(), ElementsAre("row"));
  const auto objects = rig.engine.TopologySnapshot().objects;
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].object, "ClusterTopology default");
  EXPECT_TRUE(objects[0].counts);
  EXPECT_FALSE(objects[1].counts);
  rig.RemoveObject({"ClusterTopology", "", "default"});
  EXPECT_THAT(Levels(), ElementsAre("hall", "rack", "nvlink"));
}

TEST_F(DeclaredTest, TheLastGoodOneStaysInForceAndItsProblemIsShown) {
  rig.SetObject(Declares("ClusterTopology", 0, {{"row", kRow}}));
  rig.SetObject(Declares("ClusterTopology", 0, {}, {{"spec.levels", "17 levels", "1 to 16"}}));
  EXPECT_THAT(Levels(), ElementsAre("row"));
  const auto objects = rig.engine.TopologySnapshot().objects;
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_TRUE(objects[0].counts);
  EXPECT_THAT(objects[0].problems, ElementsAre("spec.levels: got \"17 levels\", expected 1 to 16"));
  // A new object of that name is another one.
  ApiObject other = Declares("ClusterTopology", 0, {}, {{"spec.levels", "", "1 to 16"}});
  other.uid = "another";
  rig.SetObject(other);
  EXPECT_THAT(Levels(), ElementsAre("rack", "nvlink"));
  EXPECT_FALSE(rig.engine.TopologySnapshot().objects[0].counts);
}

TEST_F(DeclaredTest, ItsStatusSaysThatItIsInForce) {
  ApiObject object = Declares("ClusterTopology", 0, {{"row", kRow}});
  object.generation = object.followed_generation = 3;
  rig.SetObject(object);
  EXPECT_TRUE(rig.topology_status.empty());  // a change that follows at once is written with it
  rig.Advance(Duration::Seconds(1));
  const TopologyReport& status = rig.topology_status.at(object.key);
  EXPECT_EQ(status.generation, 3);
  EXPECT_EQ(status.uid, object.uid);
  EXPECT_THAT(status.levels, ElementsAre("row"));
  EXPECT_EQ(status.nodes, 4);
  EXPECT_TRUE(status.accepted.holds);
  EXPECT_TRUE(status.in_force.holds);
  EXPECT_EQ(status.in_force.reason, "Followed");
  // Nothing changes, nothing is written.
  const int writes = rig.writes;
  rig.Advance(Duration::Minutes(5));
  EXPECT_EQ(rig.writes, writes);
}

TEST_F(DeclaredTest, ItsStatusNamesTheGenerationThatStaysInForce) {
  ApiObject good = Declares("ClusterTopology", 0, {{"row", kRow}});
  good.generation = good.followed_generation = 1;
  rig.SetObject(good);
  rig.Advance(Duration::Seconds(1));
  const Time since = rig.topology_status.at(good.key).in_force.since;
  ApiObject bad = Declares("ClusterTopology", 0, {}, {{"spec.levels", "17 levels", "1 to 16"}});
  bad.generation = 2;
  rig.SetObject(bad);
  rig.Advance(Duration::Seconds(1));
  const TopologyReport& status = rig.topology_status.at(good.key);
  EXPECT_EQ(status.generation, 2);
  EXPECT_FALSE(status.accepted.holds);
  EXPECT_EQ(status.accepted.message, "spec.levels: got \"17 levels\", expected 1 to 16");
  EXPECT_TRUE(status.in_force.holds);
  EXPECT_EQ(status.in_force.reason, "LastGood");
  EXPECT_THAT(status.in_force.message, HasSubstr("generation 1"));
  EXPECT_EQ(status.in_force.since, since);
}

TEST_F(DeclaredTest, SharedResourcesCountWithoutLevels) {
  ApiObject object = Declares("ClusterTopology", 0, {});
  std::get<DeclaredTopology>(object.body).pools = {{"ansys", 4}};
  rig.SetObject(object);
  rig.Advance(Duration::Seconds(1));
  EXPECT_TRUE(rig.topology_status.at(object.key).in_force.holds);
  EXPECT_EQ(rig.topology_status.at(object.key).in_force.reason, "SharedResourcesOnly");
  const TopologyView view = rig.engine.TopologySnapshot();
  EXPECT_TRUE(view.objects[0].counts);
  ASSERT_EQ(view.pools.size(), 1U);
  EXPECT_EQ(view.pools[0].capacity, 4);
  // A generation that can not be followed takes nothing away.
  ApiObject bad = Declares("ClusterTopology", 0, {}, {{"spec.sharedResources", "x", "a list"}});
  rig.SetObject(bad);
  EXPECT_EQ(rig.engine.TopologySnapshot().pools.size(), 1U);
}

TEST_F(DeclaredTest, ItsStatusSaysWhyItIsNotInForce) {
  ApiObject object = Declares("ClusterTopology", 0, {{"cage", "example.com/cage"}});
  rig.SetObject(object);
  rig.Advance(Duration::Seconds(1));
  EXPECT_TRUE(rig.topology_status.at(object.key).accepted.holds);
  EXPECT_FALSE(rig.topology_status.at(object.key).in_force.holds);
  EXPECT_EQ(rig.topology_status.at(object.key).in_force.reason, "NoNodeLabelled");
  // Until a node is labelled.
  NodeObject node = rig.nodes.begin()->second;
  node.labels["example.com/cage"] = "c";
  rig.UpdateNode(node);
  rig.Advance(Duration::Seconds(15));
  EXPECT_TRUE(rig.topology_status.at(object.key).in_force.holds);
  EXPECT_EQ(rig.topology_status.at(object.key).nodes, 1);
  // One that could never be followed.
  object.uid = "another";
  object.body = DeclaredTopology{0, true, {}};
  object.problems = {{"spec.levels", "", "1 to 16"}};
  rig.SetObject(object);
  rig.Advance(Duration::Seconds(1));
  EXPECT_EQ(rig.topology_status.at(object.key).in_force.reason, "NeverValid");
}

TEST_F(DeclaredTest, AStatusThatIsRefusedIsTriedAgain) {
  rig.refuse_writes = 500;
  rig.SetObject(Declares("ClusterTopology", 0, {{"row", kRow}}));
  rig.Advance(Duration::Seconds(1));
  EXPECT_EQ(rig.writes, 1);
  EXPECT_TRUE(rig.topology_status.empty());
  rig.refuse_writes = 0;
  rig.Advance(Duration::Seconds(2));
  EXPECT_EQ(rig.writes, 2);
  EXPECT_EQ(rig.topology_status.size(), 1u);
}

TEST_F(DeclaredTest, TopologiesOfOthersAreNotWrittenOn) {
  rig.SetObject(Declares("Topology.kai.scheduler", 2, {{"hall", "example.com/hall"}}));
  rig.Advance(Duration::Minutes(1));
  EXPECT_EQ(rig.writes, 0);
}

TEST_F(DeclaredTest, ASnapshotWithoutTheObjectEndsIt) {
  rig.SetObject(Declares("ClusterTopology", 0, {{"row", kRow}}));
  EXPECT_THAT(Levels(), ElementsAre("row"));
  rig.objects.clear();
  rig.Start();
  EXPECT_THAT(Levels(), ElementsAre("rack", "nvlink"));
  EXPECT_THAT(rig.engine.TopologySnapshot().objects, IsEmpty());
}

}  // namespace
}  // namespace phalanx::test

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

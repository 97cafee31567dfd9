// Levels that objects declare, against the well-known labels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/topology_labels.h"

namespace phalanx {
namespace {

using ::testing::ElementsAre;

constexpr char kClique[] = "nvidia.com/gpu.clique";
constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kLeaf[] = "fabric.topograph.run/tier-0";
constexpr char kRow[] = "example.com/row";
constexpr char kHall[] = "example.com/hall";

class DeclaredTopologyTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, LabelMap labels) {
    NodeObject node;
    node.name = name;
    node.uid = "uid-" + name;
    node.labels = std::move(labels);
    cluster.UpsertNode(node);
  }
  std::vector<std::string> Levels() {
    cluster.RefreshTopology();
    std::vector<std::string> out;
    for (const Topology::Level& level : cluster.topology().levels()) out.push_back(level.name);
    return out;
  }
  std::string PathOf(const std::string& name) {
    cluster.RefreshTopology();
    const Topology& topology = cluster.topology();
    return topology.Path(topology.host(topology.HostOf(cluster.FindNode(name))).parent);
  }
  Cluster cluster;
};

TEST_F(DeclaredTopologyTest, AllLevelsAreTheDeclaredOnes) {
  Add("n1", {{kZone, "z"}, {kLeaf, "l"}, {kClique, "r.1"}, {kHall, "h"}, {kRow, "1"}});
  EXPECT_THAT(Levels(), ElementsAre("zone", "leaf", "rack", "nvlink"));
  cluster.DeclareTopology({{0, true, {{"hall", kHall}, {"cabinet", kClique, true}}}});
  EXPECT_THAT(Levels(), ElementsAre("hall", "cabinet"));
  EXPECT_EQ(PathOf("n1"), "h/r");
  cluster.DeclareTopology({});
  EXPECT_THAT(Levels(), ElementsAre("zone", "leaf", "rack", "nvlink"));
}

TEST_F(DeclaredTopologyTest, ADeclaredFabricStandsForTheWellKnownOneOnly) {
  Add("n1", {{kZone, "z"}, {kLeaf, "l"}, {kClique, "r.1"}, {kRow, "1"}});
  cluster.DeclareTopology({{1, false, {{"row", kRow}}}});
  EXPECT_THAT(Levels(), ElementsAre("zone", "row", "rack", "nvlink"));
}

TEST_F(DeclaredTopologyTest, ALevelThatIsThereAnywayIsThereOnce) {
  Add("n1", {{kZone, "z"}, {kClique, "r.1"}, {kRow, "1"}});
  cluster.DeclareTopology({{1, false, {{"zone", kZone}, {"row", kRow}, {"nvlink", kClique}}}});
  EXPECT_THAT(Levels(), ElementsAre("zone", "row", "rack", "nvlink"));
}

TEST_F(DeclaredTopologyTest, TheOneThatMostNodesCarryCounts) {
  Add("n1", {{kRow, "1"}});
  Add("n2", {{kRow, "1"}});
  Add("n3", {{kHall, "h"}});
  cluster.DeclareTopology({{1, false, {{"hall", kHall}}}, {1, false, {{"row", kRow}}}});
  EXPECT_THAT(Levels(), ElementsAre("row"));
  Add("n4", {{kHall, "h"}});
  EXPECT_THAT(Levels(), ElementsAre("hall")) << "the first on a tie";
}

TEST_F(DeclaredTopologyTest, ADeclarationThatNoNodeCarriesDoesNotCount) {
  Add("n1", {{kZone, "z"}});
  cluster.DeclareTopology({{0, true, {{"row", kRow}}}});
  EXPECT_THAT(Levels(), ElementsAre("zone"));
  Add("n1", {{kZone, "z"}, {kRow, "1"}});
  EXPECT_THAT(Levels(), ElementsAre("row")) << "its label is a topology label now";
}

TEST_F(DeclaredTopologyTest, OnlyAChangeMakesANewGeneration) {
  Add("n1", {{kRow, "1"}});
  cluster.DeclareTopology({{0, true, {{"row", kRow}}}});
  cluster.RefreshTopology();
  const uint64_t generation = cluster.topology().generation();
  cluster.DeclareTopology({{0, true, {{"row", kRow}}}});
  cluster.RefreshTopology();
  EXPECT_EQ(cluster.topology().generation(), generation);
  Add("n1", {{kRow, "1"}, {kHall, "h"}});
  cluster.RefreshTopology();
  EXPECT_EQ(cluster.topology().generation(), generation) << "nobody reads that label";
}

TEST(LevelNameOf, IsTheWellKnownOneElseTheLastPartOfTheLabel) {
  EXPECT_EQ(LevelNameOf(kZone), "zone");
  EXPECT_EQ(LevelNameOf(kLeaf), "leaf");
  EXPECT_EQ(LevelNameOf(kClique), "nvlink");
  EXPECT_EQ(LevelNameOf("cloud.google.com/gce-topology-subblock"), "subblock");
  EXPECT_EQ(LevelNameOf("example.com/row"), "row");
  EXPECT_EQ(LevelNameOf("row"), "row");
}

}  // namespace
}  // namespace phalanx

#include "core/cluster/topology.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace phalanx {
namespace {

constexpr char kClique[] = "nvidia.com/gpu.clique";
constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kLeaf[] = "fabric.topograph.run/tier-0";
constexpr char kSpine[] = "fabric.topograph.run/tier-1";

struct NamedNode {
  std::string name;
  LabelMap labels;
};

std::shared_ptr<const Topology> Build(const std::vector<NamedNode>& nodes) {
  std::vector<TopologyInput> inputs;
  for (size_t i = 0; i < nodes.size(); ++i) {
    inputs.push_back({NodeId(static_cast<uint32_t>(i)), nodes[i].name, &nodes[i].labels});
  }
  return BuildTopology(inputs, 1);
}

std::string Levels(const Topology& topology) {
  std::string out;
  for (const Topology::Level& level : topology.levels()) out += level.name + " ";
  return out;
}

// One line per host: its path and name, in depth-first order.
std::vector<std::string> Tree(const Topology& topology) {
  std::vector<std::string> out;
  for (const Topology::Host& host : topology.hosts()) {
    const std::string path = topology.Path(host.parent);
    out.push_back(path.empty() ? host.name : path + "/" + host.name);
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(TopologyTest, ReadsZoneSpineLeafAndCliqueFromCoarseToFine) {
  const auto topology =
      Build({{"h2", {{kZone, "a"}, {kSpine, "s"}, {kLeaf, "l"}, {kClique, "U.2"}}},
             {"h1", {{kZone, "a"}, {kSpine, "s"}, {kLeaf, "l"}, {kClique, "U.1"}}}});
  EXPECT_EQ(Levels(*topology), "zone spine leaf rack nvlink ");
  EXPECT_EQ(Tree(*topology), (Lines{"a/s/l/U/U.1/h1", "a/s/l/U/U.2/h2"}));
}

//   zone a ── spine s ── leaf l1 ── h1 h2
//        │         └─── h3           (no leaf)
//        ├── h4                      (zone only)
//   h5                               (nothing)
TEST(TopologyTest, AHostThatLacksALevelIsInNoDomainThere) {
  const auto topology = Build({{"h5", {}},
                               {"h4", {{kZone, "a"}, {kLeaf, ""}}},
                               {"h3", {{kZone, "a"}, {kSpine, "s"}}},
                               {"h2", {{kZone, "a"}, {kSpine, "s"}, {kLeaf, "l1"}}},
                               {"h1", {{kZone, "a"}, {kSpine, "s"}, {kLeaf, "l1"}}}});
  EXPECT_EQ(Tree(*topology), (Lines{"a/s/l1/h1", "a/s/l1/h2", "a/s/h3", "a/h4", "h5"}));
  const LevelId leaf = topology->FindLevel("leaf");
  EXPECT_EQ(topology->DomainsAt(leaf).size(), 1u);
  EXPECT_TRUE(topology->DomainAt(HostId(0), leaf).valid());
  EXPECT_FALSE(topology->DomainAt(HostId(2), leaf).valid());
  EXPECT_FALSE(topology->DomainAt(HostId(4), topology->FindLevel("zone")).valid());
}

TEST(TopologyTest, ADomainIsItsPathNotItsLabelValue) {
  const auto topology =
      Build({{"h1", {{kZone, "a"}, {kLeaf, "leaf-1"}}}, {"h2", {{kZone, "b"}, {kLeaf, "leaf-1"}}}});
  const LevelId leaf = topology->FindLevel("leaf");
  ASSERT_EQ(topology->DomainsAt(leaf).size(), 2u);
  EXPECT_NE(topology->DomainAt(HostId(0), leaf), topology->DomainAt(HostId(1), leaf));
  EXPECT_EQ(topology->Path(topology->DomainAt(HostId(1), leaf)), "b/leaf-1");
}

TEST(TopologyTest, DomainsAreRangesOfHostsNumberedDepthFirst) {
  const auto topology = Build({{"h1", {{kZone, "a"}, {kLeaf, "l1"}}},
                               {"h2", {{kZone, "a"}, {kLeaf, "l1"}}},
                               {"h3", {{kZone, "a"}, {kLeaf, "l2"}}},
                               {"h4", {{kZone, "b"}, {kLeaf, "l1"}}}});
  std::vector<std::string> seen;
  for (const Topology::Domain& domain : topology->domains()) {
    seen.push_back(
        fmt::format("{}@{}+{}", domain.name, domain.first_host.value(), domain.host_count));
  }
  EXPECT_EQ(seen, (Lines{"@0+4", "a@0+3", "l1@0+2", "l2@2+1", "b@3+1", "l1@3+1"}));
  EXPECT_EQ(topology->domain(DomainId(0)).children, (std::vector{DomainId(1), DomainId(4)}));
}

TEST(TopologyTest, CommonDomainIsTheFinestThatHoldsAll) {
  const auto topology = Build({{"h1", {{kZone, "a"}, {kLeaf, "l1"}}},
                               {"h2", {{kZone, "a"}, {kLeaf, "l1"}}},
                               {"h3", {{kZone, "a"}, {kLeaf, "l2"}}},
                               {"h4", {}}});
  const auto path = [&](std::vector<HostId> hosts) {
    return topology->Path(topology->CommonDomain(hosts));
  };
  EXPECT_EQ(path({HostId(1), HostId(0)}), "a/l1");
  EXPECT_EQ(path({HostId(0), HostId(2)}), "a");
  EXPECT_EQ(path({HostId(2), HostId(3)}), "");
  EXPECT_EQ(path({HostId(2)}), "a/l2");
}

TEST(TopologyTest, LevelsAreFoundByNameAndByLabelKey) {
  const auto topology = Build({{"h1", {{kZone, "a"}, {kClique, "U.1"}}}});
  EXPECT_EQ(topology->FindLevel(kZone), topology->FindLevel("zone"));
  EXPECT_EQ(topology->FindLevel(kClique), topology->FindLevel("nvlink"));
  EXPECT_EQ(topology->FindLevel("host"), topology->host_level());
  EXPECT_EQ(topology->FindLevel("kubernetes.io/hostname"), topology->host_level());
  EXPECT_FALSE(topology->FindLevel("spine").valid());
}

TEST(TopologyTest, TheOrderOfTheNodesDoesNotMatter) {
  std::vector<NamedNode> nodes;
  for (int i = 0; i < 24; ++i) {
    NamedNode node{fmt::format("h{:02}", i), {}};
    if (i % 5) node.labels[kLeaf] = fmt::format("l{}", i % 3);
    if (i % 7) node.labels[kZone] = fmt::format("z{}", i % 2);
    nodes.push_back(node);
  }
  const auto expected = Tree(*Build(nodes));
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(nodes.begin(), nodes.end(), random);
    EXPECT_EQ(Tree(*Build(nodes)), expected);
  }
}

TEST(TopologySchemeTest, TheFabricSchemeOfMostNodesWins) {
  const NamedNode eks{"e", {{"topology.k8s.aws/network-node-layer-1", "n1"}}};
  const NamedNode topograph{"t", {{kLeaf, "l1"}}};
  std::vector<NamedNode> nodes = {eks, topograph};
  EXPECT_EQ(Levels(*Build(nodes)), "leaf ");  // a tie: Topograph comes first in the table
  nodes.push_back({"e2", eks.labels});
  EXPECT_EQ(Levels(*Build(nodes)), "layer-1 ");
}

// EKS counts its layers from the top, Topograph its tiers from the host.
TEST(TopologySchemeTest, LayerOneOfEksIsTheTopAndTierZeroOfTopographTheLeaf) {
  const auto eks = Build({{"h",
                           {{"topology.k8s.aws/network-node-layer-3", "c"},
                            {"topology.k8s.aws/network-node-layer-1", "a"},
                            {"topology.k8s.aws/network-node-layer-2", "b"}}}});
  EXPECT_EQ(Tree(*eks), Lines{"a/b/c/h"});
  const auto topograph =
      Build({{"h", {{kLeaf, "l"}, {kSpine, "s"}, {"fabric.topograph.run/tier-2", "t"}}}});
  EXPECT_EQ(Levels(*topograph), "tier-2 spine leaf ");
  EXPECT_EQ(Tree(*topograph), Lines{"t/s/l/h"});
}

TEST(TopologySchemeTest, TheCliqueGoesBeforeOtherAcceleratorLabels) {
  const auto topology = Build({{"h",
                                {{kClique, "U.1"},
                                 {"accelerator.topograph.run/domain", "d"},
                                 {"topology.k8s.aws/ultraserver-id", "us"}}}});
  EXPECT_EQ(Tree(*topology), Lines{"U/U.1/h"});
}

TEST(TopologySchemeTest, AGoogleSubblockIsAnNvlinkDomainOnGb200Only) {
  const LabelMap labels = {{"cloud.google.com/gce-topology-block", "b"},
                           {"cloud.google.com/gce-topology-subblock", "s"}};
  LabelMap gb200 = labels;
  gb200["cloud.google.com/gke-accelerator"] = "nvidia-gb200";
  EXPECT_EQ(Levels(*Build({{"h", labels}})), "block subblock ");
  EXPECT_EQ(Tree(*Build({{"h", labels}, {"g", gb200}})), (Lines{"b/s/s/g", "b/s/h"}));
}

TEST(TopologySchemeTest, NoLabelsGiveNoLevels) {
  const auto topology = Build({{"b", {}}, {"a", {}}});
  EXPECT_TRUE(topology->levels().empty());
  EXPECT_EQ(Tree(*topology), (Lines{"a", "b"}));
  EXPECT_EQ(topology->domain(topology->root()).host_count, 2u);
}

TEST(TopologySchemeTest, AtMostSixteenLevelsTheCoarsestGoFirst) {
  NamedNode node{"h", {{kZone, "a"}, {kClique, "U.1"}}};
  for (int tier = 0; tier < 16; ++tier) {
    node.labels[fmt::format("fabric.topograph.run/tier-{}", tier)] = "t";
  }
  const auto topology = Build({node});
  ASSERT_EQ(topology->levels().size(), Topology::kMaxLevels);
  EXPECT_EQ(topology->levels().front().name, "tier-13");
  EXPECT_EQ(topology->levels().back().name, "nvlink");
}

// One wrong label: the rack is cut, and the fabric stays above it.
//
//   l1 ── U.1: h0 h1 h2    l2 ── U.1: h3 (mislabelled)   U.2: g0 g1   U.3: i0 i1
TEST(TopologyCrossingTest, AFewCrossingNvlinkDomainsAreCutByPath) {
  const auto topology = Build({{"h0", {{kLeaf, "l1"}, {kClique, "U.1"}}},
                               {"h1", {{kLeaf, "l1"}, {kClique, "U.1"}}},
                               {"h3", {{kLeaf, "l2"}, {kClique, "U.1"}}},
                               {"g0", {{kLeaf, "l2"}, {kClique, "U.2"}}},
                               {"g1", {{kLeaf, "l2"}, {kClique, "U.2"}}}});
  EXPECT_EQ(Levels(*topology), "leaf rack nvlink ");
  EXPECT_EQ(topology->DomainsAt(topology->FindLevel("nvlink")).size(), 3u);
}

// Rails: every rack is cabled to both leaves. The racks stay whole, the leaves are cut.
TEST(TopologyCrossingTest, WhereMostNvlinkDomainsCrossTheLeavesGoBelow) {
  std::vector<NamedNode> nodes;
  for (int i = 0; i < 8; ++i) {
    nodes.push_back({fmt::format("h{}", i),
                     {{kZone, "z"},
                      {kSpine, "s"},
                      {kLeaf, fmt::format("l{}", i % 2)},
                      {kClique, fmt::format("U{}.0", i / 4)}}});
  }
  const auto topology = Build(nodes);
  EXPECT_EQ(Levels(*topology), "zone spine rack nvlink leaf ");
  EXPECT_EQ(topology->DomainsAt(topology->FindLevel("nvlink")).size(), 2u);
  EXPECT_EQ(Tree(*topology)[0], "z/s/U0/U0.0/l0/h0");
  // The tree has four leaves of two hosts, the fabric two of four.
  const Crossing* leaves = topology->CrossingOf(topology->FindLevel("leaf"));
  ASSERT_NE(leaves, nullptr);
  ASSERT_EQ(leaves->domains.size(), 2u);
  EXPECT_EQ(leaves->domains[0].path, "z/s/l0");
  EXPECT_EQ(leaves->domains[0].hosts,
            (std::vector<HostRange>{{HostId(0), 2}, {HostId(4), 2}}));  // h0 h2, h4 h6
  EXPECT_EQ(leaves->domain_of, (std::vector<uint32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(topology->CrossingOf(topology->FindLevel("rack")), nullptr);
}

// Declared to cross, but each leaf lies in one rack: one tree has both.
TEST(TopologyCrossingTest, ALevelThatNestsIsPartOfTheTree) {
  const std::vector<NamedNode> nodes = {{"h0", {{kLeaf, "l1"}, {kClique, "U.1"}}},
                                        {"h1", {{kLeaf, "l2"}, {kClique, "U.1"}}},
                                        {"h2", {{kLeaf, "l3"}, {kClique, "V.1"}}}};
  std::vector<TopologyInput> inputs;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    inputs.push_back({NodeId(i), nodes[i].name, &nodes[i].labels});
  }
  const DeclaredTopology declared{
      0, true, {{"clique", kClique, false, {}}, {"leaf", kLeaf, false, "clique"}}};
  const auto topology = BuildTopology(inputs, 1, {&declared, 1});
  EXPECT_EQ(topology->CrossingOf(topology->FindLevel("leaf")), nullptr);
  EXPECT_EQ(topology->DomainsAt(topology->FindLevel("leaf")).size(), 3u);
}

TEST(TopologyCrossingTest, SingleHostCliquesAndZonesDoNotVote) {
  const auto topology = Build({{"h0", {{kZone, "a"}, {kLeaf, "l1"}, {kClique, "U.1"}}},
                               {"h1", {{kZone, "b"}, {kLeaf, "l2"}, {kClique, "U.1"}}},
                               {"h2", {{kZone, "a"}, {kLeaf, "l1"}, {kClique, "U.2"}}},
                               {"h3", {{kZone, "a"}, {kLeaf, "l1"}, {kClique, "U.2"}}}});
  EXPECT_EQ(Levels(*topology), "zone leaf rack nvlink ");
}

// --- properties of any labels

constexpr const char* kKeys[] = {kZone, kSpine, kLeaf};

// Few values, so that one stands under several parents; gaps, and hosts named like a domain.
std::vector<NamedNode> RandomNodes(std::mt19937_64& random) {
  std::vector<NamedNode> nodes;
  const uint64_t count = 1 + random() % 12;
  for (uint64_t i = 0; i < count; ++i) {
    NamedNode node{i < 3 ? fmt::format("v{}", i) : fmt::format("h{}", i), {}};
    for (const char* key : kKeys) {
      if (random() % 4 > 0) node.labels[key] = fmt::format("v{}", random() % 3);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// The values of a node down to a level; a missing one is "".
std::vector<std::string> ValuesDownTo(const NamedNode& node, const Topology& topology,
                                      size_t level) {
  std::vector<std::string> values;
  for (size_t i = 0; i <= level; ++i) {
    const auto label = node.labels.find(topology.levels()[i].label_key);
    values.push_back(label == node.labels.end() ? "" : label->second);
  }
  return values;
}

TEST(TopologyPropertyTest, TwoHostsShareADomainWhenAllTheirValuesDownToItAreEqual) {
  std::mt19937_64 random(20261130);
  for (int world = 0; world < 500; ++world) {
    const std::vector<NamedNode> nodes = RandomNodes(random);
    const auto topology = Build(nodes);
    for (size_t level = 0; level < topology->levels().size(); ++level) {
      const LevelId id(static_cast<uint32_t>(level));
      for (uint32_t a = 0; a < nodes.size(); ++a) {
        const auto values = ValuesDownTo(nodes[a], *topology, level);
        const DomainId domain = topology->DomainAt(topology->HostOf(NodeId(a)), id);
        ASSERT_EQ(domain.valid(), !values.back().empty()) << "world " << world;
        for (uint32_t b = 0; b < a && domain.valid(); ++b) {
          const bool same = topology->DomainAt(topology->HostOf(NodeId(b)), id) == domain;
          ASSERT_EQ(same, ValuesDownTo(nodes[b], *topology, level) == values)
              << "world " << world << ": " << nodes[a].name << " " << nodes[b].name;
        }
      }
    }
  }
}

TEST(TopologyPropertyTest, EveryHostIsALeafOfItsOwnWhateverItsName) {
  std::mt19937_64 random(20261201);
  for (int world = 0; world < 500; ++world) {
    const std::vector<NamedNode> nodes = RandomNodes(random);
    const auto topology = Build(nodes);
    ASSERT_EQ(topology->hosts().size(), nodes.size());
    for (const Topology::Domain& domain : topology->domains()) {
      uint32_t in_children = 0;
      for (const DomainId child : domain.children) {
        in_children += topology->domain(child).host_count;
      }
      uint32_t direct = 0;
      for (const Topology::Host& host : topology->hosts()) {
        direct += &topology->domain(host.parent) == &domain;
      }
      ASSERT_EQ(domain.host_count, in_children + direct) << "world " << world;
    }
  }
}

TEST(TopologyPropertyTest, TheOrderOfArrivalChangesNothing) {
  std::mt19937_64 random(20261202);
  for (int world = 0; world < 300; ++world) {
    std::vector<NamedNode> nodes = RandomNodes(random);
    const Lines before = Tree(*Build(nodes));
    std::shuffle(nodes.begin(), nodes.end(), random);
    ASSERT_EQ(Tree(*Build(nodes)), before) << "world " << world;
  }
}

// Every label of the tables makes the level that the documentation names.
TEST(TopologyTest, LabelsOfEveryProvider) {
  const std::vector<std::pair<std::vector<const char*>, std::string>> schemes = {
      {{"fabric.topograph.run/tier-2", kSpine, kLeaf}, "tier-2 spine leaf "},
      {{"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine", "network.topology.nvidia.com/block",
        "network.topology.nvidia.com/leaf"},
       "datacenter core spine block leaf "},
      {{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"},
       "block subblock "},
      {{"topology.gke.io/cluster", "topology.gke.io/rack"}, "cluster rack "},
      {{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3"},
       "layer-1 layer-2 layer-3 "},
      {{"oci.oraclecloud.com/rdma.hpc_island_id", "oci.oraclecloud.com/rdma.network_block_id",
        "oci.oraclecloud.com/rdma.local_block_id"},
       "island network-block local-block "},
      {{"backend.coreweave.cloud/fabric", "backend.coreweave.cloud/superpod",
        "backend.coreweave.cloud/leafgroup", "node.coreweave.cloud/rack"},
       "fabric superpod leaf rack "},
      {{"ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup"},
       "fabric superpod leaf "},
      {{"topology.nebius.com/tier-2", "topology.nebius.com/tier-1"}, "spine leaf "},
      {{"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"},
       "nvlink nvlink-sub "},
      {{"ds.coreweave.com/nvlink.domain"}, "nvlink "},
      {{"topology.k8s.aws/ultraserver-id"}, "nvlink "},
      {{"oci.oraclecloud.com/host.gpu_memory_fabric_id"}, "nvlink "},
      {{"topology.nebius.com/tier-0"}, "nvlink "}};
  for (const auto& [keys, levels] : schemes) {
    LabelMap labels;
    for (const char* key : keys) labels[key] = "v";
    EXPECT_EQ(Levels(*Build({{"h", labels}})), levels) << keys.front();
  }
}

}  // namespace
}  // namespace phalanx

// The levels that the topology reads from node labels against those that the judge reads, which
// shares no code with it: the same levels, the same hosts in them, the same domains and paths.
#include "core/judge/levels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/cluster/topology.h"

namespace phalanx::oracle {
namespace {

using Random = std::mt19937_64;

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kSpine[] = "fabric.topograph.run/tier-1";
constexpr char kLeaf[] = "fabric.topograph.run/tier-0";
constexpr char kClique[] = "nvidia.com/gpu.clique";

// Names and keys that a level might have in these worlds, and some that none has.
constexpr const char* kNames[] = {"region", "zone",       "datacenter", "spine", "leaf",
                                  "rack",   "nvlink",     "nvlink-sub", "block", "subblock",
                                  "fabric", "superpod",   "tier-2",     kZone,   kSpine,
                                  kLeaf,    kClique,      "layer-1",    "",      "no-such-level",
                                  "island", "local-block"};

NodeObject Node(const std::string& name, LabelMap labels) {
  NodeObject node;
  node.name = name;
  node.labels = std::move(labels);
  return node;
}

using Declared = std::vector<DeclaredTopology>;

// Only objects of the first kind reach the topology.
std::shared_ptr<const Topology> Build(const std::vector<NodeObject>& nodes,
                                      Declared declared = {}) {
  int32_t first = std::numeric_limits<int32_t>::max();
  for (const DeclaredTopology& one : declared) first = std::min(first, one.precedence);
  std::erase_if(declared, [first](const auto& one) { return one.precedence != first; });
  std::vector<TopologyInput> inputs;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    inputs.push_back({NodeId(i), nodes[i].name, &nodes[i].labels});
  }
  return BuildTopology(inputs, 1, declared);
}

std::string Describe(const std::vector<NodeObject>& nodes) {
  std::string out;
  for (const NodeObject& node : nodes) {
    out += node.name + ":";
    for (const auto& [key, value] : node.labels) out += fmt::format(" {}={}", key, value);
    out += "\n";
  }
  return out;
}

std::string Joined(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) {
    if (!value.empty()) out += (out.empty() ? "" : "/") + value;
  }
  return out;
}

// The domain of a host at a level, whether it crosses the tree or not.
struct Domain {
  uint32_t id;
  std::string path;
};
std::optional<Domain> DomainTo(const Topology& topology, HostId host, LevelId level) {
  if (const Crossing* crossing = topology.CrossingOf(level)) {
    const uint32_t id = crossing->domain_of[host.index()];
    if (id == Crossing::kNone) return std::nullopt;
    EXPECT_TRUE(Holds(crossing->domains[id].hosts, host));
    return Domain{id, crossing->domains[id].path};
  }
  const DomainId id = topology.DomainAt(host, level);
  if (!id.valid()) return std::nullopt;
  return Domain{id.value(), topology.Path(id)};
}

// A level that is said to cross others and nests has the path of the tree to the search.
bool SamePath(const std::string& searched, const std::vector<std::string>& judged, bool crosses) {
  return searched == Joined(judged) || (crosses && searched.ends_with("/" + judged.back()));
}

// Whether it may: objects say so, or it is a level of the fabric below the NVLink domains.
bool MayCross(const Topology& topology, const Declared& declared, const std::string& name) {
  const LevelId nvlink = topology.FindLevel("nvlink");
  if (nvlink.valid() && nvlink < topology.FindLevel(name) && name != "nvlink-sub") return true;
  for (const DeclaredTopology& topology : declared) {
    for (const DeclaredLevel& level : topology.levels) {
      if (level.name == name && !level.crosses.empty()) return true;
    }
  }
  return false;
}

// One level: who is in it, where, and who shares a domain with whom.
void ExpectSameDomains(const std::vector<NodeObject>& nodes, const Topology& topology,
                       const judge::Levels& levels, const std::string& name, bool crosses) {
  const LevelId level = topology.FindLevel(name);
  std::map<uint32_t, std::set<std::vector<std::string>>> judged;
  std::set<std::vector<std::string>> distinct;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const auto domain = DomainTo(topology, topology.HostOf(NodeId(i)), level);
    const auto expected = levels.DomainOf(nodes[i], name);
    ASSERT_EQ(domain.has_value(), expected.has_value()) << nodes[i].name << " at " << name;
    if (!domain) continue;
    EXPECT_TRUE(SamePath(domain->path, *expected, crosses))
        << nodes[i].name << " at " << name << ": " << domain->path << ", " << Joined(*expected);
    judged[domain->id].insert(*expected);
    distinct.insert(*expected);
  }
  for (const auto& [domain, values] : judged) {
    EXPECT_EQ(values.size(), 1u) << "judged apart, one to the search, at " << name;
  }
  EXPECT_EQ(judged.size(), distinct.size()) << "judged one, apart to the search, at " << name;
}

void ExpectSameLevels(const std::vector<NodeObject>& nodes, const Declared& declared = {}) {
  const auto topology = Build(nodes, declared);
  const judge::Levels levels(nodes, declared);
  for (const char* name : kNames) {
    ASSERT_EQ(topology->FindLevel(name).valid(), levels.Known(name)) << "level '" << name << "'";
  }
  for (const Topology::Level& level : topology->levels()) {
    ASSERT_TRUE(levels.Known(level.name)) << level.name;
    for (const std::string& name : {level.name, level.label_key}) {
      const std::string& found = topology->levels()[topology->FindLevel(name).index()].name;
      ExpectSameDomains(nodes, *topology, levels, name, MayCross(*topology, declared, found));
    }
  }
}

// The path of a node at a level, to both.
std::pair<std::string, std::string> Paths(const std::vector<NodeObject>& nodes, size_t node,
                                          const std::string& level) {
  const auto topology = Build(nodes);
  const HostId host = topology->HostOf(NodeId(static_cast<uint32_t>(node)));
  const auto domain = DomainTo(*topology, host, topology->FindLevel(level));
  const auto judged = judge::Levels(nodes, {}).DomainOf(nodes[node], level);
  return {domain ? domain->path : "none", judged ? Joined(*judged) : "none"};
}

using Both = std::pair<std::string, std::string>;
Both Same(const std::string& path) { return {path, path}; }

// Racks A and B are cabled to both leaves: in the tree the leaf is cut, and goes below.
TEST(LevelsOracleTest, AFabricThatCrossesTheRacksGoesBelowThem) {
  std::vector<NodeObject> nodes;
  for (const char* rack : {"A", "B"}) {
    for (const char* leaf : {"l1", "l2"}) {
      for (int i = 0; i < 2; ++i) {
        nodes.push_back(Node(
            fmt::format("{}-{}-{}", rack, leaf, i),
            {{kZone, "z"}, {kSpine, "s"}, {kLeaf, leaf}, {kClique, rack + std::string(".1")}}));
      }
    }
  }
  ExpectSameLevels(nodes);
  EXPECT_EQ(Paths(nodes, 0, "nvlink"), Same("z/s/A/A.1"));
  EXPECT_EQ(Paths(nodes, 0, "leaf"), Same("z/s/l1"));
  EXPECT_EQ(Paths(nodes, 7, "leaf"), Same("z/s/l2"));
}

// One rack of two crosses: not more than half, so it is the rack that is cut.
TEST(LevelsOracleTest, HalfOfTheRacksIsNotEnough) {
  const std::vector<NodeObject> nodes = {
      Node("a0", {{kLeaf, "l1"}, {kClique, "A.1"}}), Node("a1", {{kLeaf, "l2"}, {kClique, "A.1"}}),
      Node("b0", {{kLeaf, "l1"}, {kClique, "B.1"}}), Node("b1", {{kLeaf, "l1"}, {kClique, "B.1"}}),
      Node("c0", {{kLeaf, "l2"}, {kClique, "C.1"}})};
  ExpectSameLevels(nodes);
  EXPECT_EQ(Paths(nodes, 0, "nvlink"), Same("l1/A/A.1"));
  EXPECT_EQ(Paths(nodes, 1, "nvlink"), Same("l2/A/A.1"));
}

// The spine is crossed, the leaf below it goes along although no rack has two leaf values; a node
// without a fabric label crosses nothing.
TEST(LevelsOracleTest, WhatIsFinerThanACrossedLevelGoesBelowToo) {
  const std::vector<NodeObject> nodes = {Node("a0", {{kSpine, "s1"}, {kClique, "A.1"}}),
                                         Node("a1", {{kSpine, "s2"}, {kClique, "A.1"}}),
                                         Node("a2", {{kLeaf, "l1"}, {kClique, "A.1"}}),
                                         Node("a3", {{kClique, "A.1"}})};
  ExpectSameLevels(nodes);
  // Only one rack: nothing is cut, and they have the path of the tree to the search.
  EXPECT_EQ(Paths(nodes, 0, "spine"), Both("A/A.1/s1", "s1"));
  EXPECT_EQ(Paths(nodes, 2, "leaf"), Both("A/A.1/l1", "l1"));
  EXPECT_EQ(Paths(nodes, 3, "leaf"), Same("none"));
}

struct LabelScheme {
  std::vector<const char*> keys;
};

// Fabrics and NVLink labels that a world may have two of each of.
const std::vector<LabelScheme> kFabrics = {
    {{kSpine, kLeaf}},
    {{"network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"}},
    {{"backend.coreweave.cloud/superpod", "backend.coreweave.cloud/leafgroup",
      "node.coreweave.cloud/rack"}},
    {{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"}}};
const std::vector<LabelScheme> kAccelerators = {
    {{kClique}},
    {{"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"}},
    {{"ds.coreweave.com/nvlink.domain"}}};

std::vector<NodeObject> RandomNodes(Random& random) {
  const auto below = [&](uint64_t bound) { return random() % bound; };
  const auto& fabric = kFabrics[below(kFabrics.size())];
  const auto& accelerator = kAccelerators[below(kAccelerators.size())];
  const auto& stray = kFabrics[below(kFabrics.size())];
  // From no crossing at all (the leaf follows from the rack) to mostly crossed.
  const uint64_t crossed_percent = below(4) * 30;
  std::vector<NodeObject> nodes;
  const uint64_t hosts = 2 + below(11);
  for (uint64_t i = 0; i < hosts; ++i) {
    const uint64_t rack = below(4);
    LabelMap labels;
    if (below(10) > 0) labels[kZone] = fmt::format("z{}", below(8) == 0 ? 1 : 0);
    for (size_t level = 0; level < fabric.keys.size(); ++level) {
      const uint64_t value = below(100) < crossed_percent ? below(3) : rack / 2;
      if (below(8) > 0) labels[fabric.keys[level]] = fmt::format("f{}-{}", level, value);
    }
    for (size_t level = 0; level < accelerator.keys.size(); ++level) {
      if (below(8) > 0)
        labels[accelerator.keys[level]] = fmt::format("r{}.{}", rack, below(2) * level);
    }
    if (below(6) == 0) labels[stray.keys[0]] = below(2) == 0 ? "" : "stray";
    nodes.push_back(Node(fmt::format("h{}", (i * 5 + 2) % 13), std::move(labels)));
  }
  return nodes;
}

// Whether a fabric level stands below an NVLink level.
bool IsCrossed(const Topology& topology) {
  const LevelId nvlink = topology.FindLevel("nvlink");
  return nvlink.valid() && nvlink.value() + 1 < topology.levels().size() &&
         topology.levels().back().name != "nvlink-sub";
}

TEST(LevelsOracleTest, RandomLabelsGiveTheSameDomainsToSearchAndJudge) {
  Random random(20261204);
  constexpr int kWorlds = 1500;
  int crossed = 0;
  for (int i = 0; i < kWorlds && !testing::Test::HasFailure(); ++i) {
    const std::vector<NodeObject> nodes = RandomNodes(random);
    crossed += IsCrossed(*Build(nodes));
    SCOPED_TRACE(testing::Message() << "world " << i << "\n" << Describe(nodes));
    ExpectSameLevels(nodes);
  }
  EXPECT_GT(crossed, kWorlds / 10);  // else the rule under test is not met
  EXPECT_LT(crossed, kWorlds * 9 / 10);
  std::printf("oracle: %d worlds of labels, the fabric crosses NVLink in %d\n", kWorlds, crossed);
}

// One to three objects of one or two kinds, with levels that some nodes have, or none.
Declared RandomDeclared(Random& random) {
  const auto below = [&](uint64_t bound) { return random() % bound; };
  constexpr std::pair<const char*, const char*> kLevels[] = {
      {"zone", kZone}, {"spine", kSpine}, {"row", kLeaf},  {"nvlink", kClique},
      {"leaf", kLeaf}, {"rack", kClique}, {"hall", "none"}};
  Declared out(1 + below(3));
  for (DeclaredTopology& topology : out) {
    topology.precedence = static_cast<int32_t>(below(2));
    topology.complete = topology.precedence == 0;
    std::set<std::string> names;
    for (uint64_t i = 0; i < 1 + below(3); ++i) {
      const auto& [name, label] = kLevels[below(std::size(kLevels))];
      if (!names.insert(name).second) continue;
      topology.levels.push_back({name, label, below(3) == 0, {}});
      const uint64_t above = below(2 * topology.levels.size());
      if (above + 1 >= topology.levels.size()) continue;
      topology.levels.back().crosses = topology.levels[above].name;
    }
  }
  return out;
}

TEST(LevelsOracleTest, DeclaredLevelsGiveTheSameDomainsToSearchAndJudge) {
  Random random(20261130);
  constexpr int kWorlds = 1500;
  int with_row = 0;
  int crossed = 0;
  for (int i = 0; i < kWorlds && !testing::Test::HasFailure(); ++i) {
    const std::vector<NodeObject> nodes = RandomNodes(random);
    const Declared declared = RandomDeclared(random);
    const auto topology = Build(nodes, declared);
    with_row += topology->FindLevel("row").valid();
    for (uint32_t level = 0; level < topology->levels().size(); ++level) {
      crossed += topology->CrossingOf(LevelId(level)) != nullptr;
    }
    SCOPED_TRACE(testing::Message() << "world " << i << "\n" << Describe(nodes));
    ExpectSameLevels(nodes, declared);
  }
  EXPECT_GT(with_row, kWorlds / 20);  // else what is declared is not met
  EXPECT_GT(crossed, kWorlds / 20);
}

}  // namespace
}  // namespace phalanx::oracle

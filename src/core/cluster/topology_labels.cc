#include "core/cluster/topology_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace phalanx {
namespace {

using Scheme = std::vector<LevelSource>;  // coarse to fine

constexpr std::string_view kGkeAccelerator = "cloud.google.com/gke-accelerator";

const Scheme& Regions() {
  static const Scheme scheme = {{"region", "topology.kubernetes.io/region"},
                                {"zone", "topology.kubernetes.io/zone"}};
  return scheme;
}

// Topograph numbers its tiers from the host: tier-0 is the leaf switch, tier-1 the spine.
Scheme TopographTiers() {
  Scheme scheme;
  for (int tier = static_cast<int>(Topology::kMaxLevels) - 1; tier >= 0; --tier) {
    const std::string name = tier == 0   ? "leaf"
                             : tier == 1 ? "spine"
                                         : fmt::format("tier-{}", tier);
    scheme.push_back({name, fmt::format("fabric.topograph.run/tier-{}", tier)});
  }
  return scheme;
}

// In the order in which they win a tie.
const std::vector<Scheme>& FabricSchemes() {
  static const std::vector<Scheme> schemes = {
      TopographTiers(),
      // Topograph up to 0.5; 0.1 said datacenter and block for core and leaf.
      {{"datacenter", "network.topology.nvidia.com/datacenter"},
       {"core", "network.topology.nvidia.com/core"},
       {"spine", "network.topology.nvidia.com/spine"},
       {"block", "network.topology.nvidia.com/block"},
       {"leaf", "network.topology.nvidia.com/leaf"}},
      // gce-topology-host is left out: a GPU machine fills its physical host.
      {{"block", "cloud.google.com/gce-topology-block"},
       {"subblock", "cloud.google.com/gce-topology-subblock"}},
      {{"cluster", "topology.gke.io/cluster"}, {"rack", "topology.gke.io/rack"}},
      // EKS numbers its layers from the top; machines of four layers have layer-4 as their leaf.
      {{"layer-1", "topology.k8s.aws/network-node-layer-1"},
       {"layer-2", "topology.k8s.aws/network-node-layer-2"},
       {"layer-3", "topology.k8s.aws/network-node-layer-3"},
       {"layer-4", "topology.k8s.aws/network-node-layer-4"}},
      {{"island", "oci.oraclecloud.com/rdma.hpc_island_id"},
       {"network-block", "oci.oraclecloud.com/rdma.network_block_id"},
       {"local-block", "oci.oraclecloud.com/rdma.local_block_id"}},
      {{"fabric", "backend.coreweave.cloud/fabric"},
       {"superpod", "backend.coreweave.cloud/superpod"},
       {"leaf", "backend.coreweave.cloud/leafgroup"},
       {"rack", "node.coreweave.cloud/rack"}},
      {{"fabric", "ib.coreweave.cloud/fabric"},
       {"superpod", "ib.coreweave.cloud/superpod"},
       {"leaf", "ib.coreweave.cloud/leafgroup"}},
      {{"spine", "topology.nebius.com/tier-2"}, {"leaf", "topology.nebius.com/tier-1"}},
  };
  return schemes;
}

const std::vector<Scheme>& AcceleratorSchemes() {
  static const std::vector<Scheme> schemes = {
      {{"rack", "nvidia.com/gpu.clique", LabelPart::kBeforeDot},
       {"nvlink", "nvidia.com/gpu.clique"}},
      {{"nvlink", "accelerator.topograph.run/domain"},
       {"nvlink-sub", "accelerator.topograph.run/sub-domain"}},
      {{"nvlink", "network.topology.nvidia.com/accelerator"}},
      {{"nvlink", "ds.coreweave.com/nvlink.domain"}},
      {{"nvlink", "topology.k8s.aws/ultraserver-id"}},
      {{"nvlink", "oci.oraclecloud.com/host.gpu_memory_fabric_id"}},
      {{"nvlink", "topology.nebius.com/tier-0"}},
      {{"nvlink", "cloud.google.com/gce-topology-subblock", LabelPart::kGkeNvlink}},
  };
  return schemes;
}

// A level of one of several schemes.
struct Place {
  size_t scheme = 0;
  size_t level = 0;
};

// Which levels read a label. Looked up once per label of a node instead of once per level of the
// tables, which are ten times as many.
using Readers = std::map<std::string_view, std::vector<Place>>;

Readers ReadersOf(const std::vector<Scheme>& schemes) {
  Readers readers;
  for (size_t scheme = 0; scheme < schemes.size(); ++scheme) {
    for (size_t level = 0; level < schemes[scheme].size(); ++level) {
      readers[schemes[scheme][level].key].push_back({scheme, level});
    }
  }
  return readers;
}

// The scheme that most nodes carry, the first on a tie, without the levels that no node has; empty
// if no node carries any.
Scheme MostCommon(const std::vector<Scheme>& schemes, std::span<const TopologyInput> nodes) {
  const Readers readers = ReadersOf(schemes);
  std::vector<int64_t> votes(schemes.size(), 0);
  std::vector<std::array<bool, Topology::kMaxLevels>> found(schemes.size());
  std::vector<size_t> voted_for(schemes.size(), 0);  // 1 + the last node that voted
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const auto& [key, value] : *nodes[i].labels) {
      const auto reader = readers.find(key);
      if (reader == readers.end()) continue;
      for (const Place& place : reader->second) {
        if (LevelValue(schemes[place.scheme][place.level], *nodes[i].labels).empty()) continue;
        found[place.scheme][place.level] = true;
        if (voted_for[place.scheme] != i + 1) ++votes[place.scheme];
        voted_for[place.scheme] = i + 1;
      }
    }
  }
  const auto most =
      static_cast<size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  Scheme out;
  for (size_t level = 0; level < schemes[most].size(); ++level) {
    if (found[most][level]) out.push_back(schemes[most][level]);
  }
  return out;
}

// An NVLink domain as the labels tell it: a value within a zone.
struct AcceleratorDomain {
  size_t hosts = 0;
  std::vector<std::string_view> seen;  // first value per fabric level; empty: none yet
  size_t crossed;                      // the coarsest fabric level with two values
};

using AcceleratorDomains =
    std::map<std::pair<std::string_view, std::string_view>, AcceleratorDomain>;

AcceleratorDomains ReadAcceleratorDomains(std::span<const TopologyInput> nodes,
                                          const Scheme& fabric, const LevelSource& nvlink) {
  AcceleratorDomains domains;
  for (const TopologyInput& node : nodes) {
    const std::string_view value = LevelValue(nvlink, *node.labels);
    if (value.empty()) continue;
    const std::string_view zone = LevelValue(Regions().back(), *node.labels);
    AcceleratorDomain empty{0, std::vector<std::string_view>(fabric.size()), fabric.size()};
    AcceleratorDomain& domain = domains.try_emplace({zone, value}, std::move(empty)).first->second;
    ++domain.hosts;
    for (size_t i = 0; i < domain.crossed; ++i) {
      const std::string_view here = LevelValue(fabric[i], *node.labels);
      if (here.empty()) continue;
      if (domain.seen[i].empty()) domain.seen[i] = here;
      if (domain.seen[i] != here) domain.crossed = i;
    }
  }
  return domains;
}

const LevelSource& NvlinkLevel(const Scheme& accelerator) {
  for (const LevelSource& level : accelerator) {
    if (level.name == "nvlink") return level;
  }
  return accelerator.back();
}

// How many of the fabric levels stay above the accelerator levels.
size_t FabricLevelsAbove(std::span<const TopologyInput> nodes, const Scheme& fabric,
                         const Scheme& accelerator) {
  if (fabric.empty() || accelerator.empty()) return fabric.size();
  size_t with_two_hosts = 0;
  std::vector<size_t> crossed_at_or_above(fabric.size(), 0);
  const LevelSource& nvlink = NvlinkLevel(accelerator);
  for (const auto& [key, domain] : ReadAcceleratorDomains(nodes, fabric, nvlink)) {
    if (domain.hosts < 2) continue;
    ++with_two_hosts;
    for (size_t i = domain.crossed; i < fabric.size(); ++i) ++crossed_at_or_above[i];
  }
  for (size_t i = 0; i < fabric.size(); ++i) {
    if (2 * crossed_at_or_above[i] > with_two_hosts) return i;
  }
  return fabric.size();
}

// A cluster has one level of a name: that of `other` stands for both.
void DropNamesOf(const Scheme& other, Scheme& scheme) {
  std::erase_if(scheme, [&](const LevelSource& level) {
    return std::any_of(other.begin(), other.end(),
                       [&](const LevelSource& it) { return it.name == level.name; });
  });
}

std::vector<Scheme> SchemesOf(std::span<const DeclaredTopology> declared) {
  std::vector<Scheme> schemes;
  for (const DeclaredTopology& topology : declared) {
    Scheme& scheme = schemes.emplace_back();
    for (const DeclaredLevel& level : topology.levels) {
      const LabelPart part = level.before_dot ? LabelPart::kBeforeDot : LabelPart::kWhole;
      scheme.push_back({level.name, level.label, part, level.crosses, level.uplink});
    }
  }
  return schemes;
}

// Levels of regions, fabric and accelerators in one order.
Scheme Join(std::span<const TopologyInput> nodes, Scheme fabric) {
  const Scheme accelerator = MostCommon(AcceleratorSchemes(), nodes);
  DropNamesOf(accelerator, fabric);
  const auto above = static_cast<ptrdiff_t>(FabricLevelsAbove(nodes, fabric, accelerator));
  Scheme levels = MostCommon({Regions()}, nodes);
  DropNamesOf(fabric, levels);
  levels.insert(levels.end(), fabric.begin(), fabric.begin() + above);
  levels.insert(levels.end(), accelerator.begin(), accelerator.end());
  for (auto crossing = fabric.begin() + above; crossing != fabric.end(); ++crossing) {
    levels.push_back(*crossing);
    levels.back().crosses = accelerator.front().name;
  }
  return levels;
}

// The levels of all schemes, those of the fabric before those of accelerators.
const Scheme& KnownLevels() {
  static const Scheme levels = [] {
    Scheme all = Regions();
    for (const std::vector<Scheme>* schemes : {&FabricSchemes(), &AcceleratorSchemes()}) {
      for (const Scheme& scheme : *schemes) all.insert(all.end(), scheme.begin(), scheme.end());
    }
    return all;
  }();
  return levels;
}

std::set<std::string, std::less<>> TopologyKeys() {
  std::set<std::string, std::less<>> keys = {std::string(kGkeAccelerator)};
  for (const LevelSource& level : KnownLevels()) keys.insert(level.key);
  return keys;
}

}  // namespace

std::string_view LevelValue(const LevelSource& level, const LabelMap& labels) {
  const auto it = labels.find(level.key);
  if (it == labels.end()) return {};
  const std::string_view value = it->second;
  switch (level.part) {
    case LabelPart::kWhole:
      return value;
    case LabelPart::kBeforeDot:
      return value.substr(0, value.find('.'));
    case LabelPart::kGkeNvlink: {
      const auto gpu = labels.find(std::string(kGkeAccelerator));
      const bool nvl72 = gpu != labels.end() && (gpu->second.starts_with("nvidia-gb200") ||
                                                 gpu->second.starts_with("nvidia-gb300"));
      return nvl72 ? value : std::string_view();
    }
  }
  return {};
}

std::vector<LevelSource> ChooseLevels(std::span<const TopologyInput> nodes,
                                      std::span<const DeclaredTopology> declared) {
  Scheme said;
  if (!declared.empty()) said = MostCommon(SchemesOf(declared), nodes);
  if (!said.empty() && declared.front().complete) return said;
  Scheme levels = Join(nodes, said.empty() ? MostCommon(FabricSchemes(), nodes) : std::move(said));
  if (levels.size() > Topology::kMaxLevels) {
    levels.erase(levels.begin(), levels.end() - Topology::kMaxLevels);
  }
  return levels;
}

bool IsTopologyLabel(std::string_view key, std::span<const DeclaredTopology> declared) {
  static const std::set<std::string, std::less<>> keys = TopologyKeys();
  if (keys.contains(key)) return true;
  for (const DeclaredTopology& topology : declared) {
    for (const DeclaredLevel& level : topology.levels) {
      if (level.label == key) return true;
    }
  }
  return false;
}

std::string LevelNameOf(std::string_view key) {
  for (const LevelSource& level : KnownLevels()) {
    if (level.part == LabelPart::kWhole && level.key == key) return level.name;
  }
  return std::string(key.substr(key.rfind('/') + 1));  // npos + 1 is 0
}

}  // namespace phalanx

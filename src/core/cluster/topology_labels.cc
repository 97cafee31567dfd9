#include "core/cluster/topology_labels.h"

#include <fmt/format.h>

#include <algorithm>
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

bool Carries(const Scheme& scheme, const LabelMap& labels) {
  return std::any_of(scheme.begin(), scheme.end(),
                     [&](const LevelSource& level) { return !LevelValue(level, labels).empty(); });
}

// The levels of `scheme` that some node carries.
Scheme Found(const Scheme& scheme, std::span<const TopologyInput> nodes) {
  Scheme out;
  for (const LevelSource& level : scheme) {
    const bool found = std::any_of(nodes.begin(), nodes.end(), [&](const TopologyInput& node) {
      return !LevelValue(level, *node.labels).empty();
    });
    if (found) out.push_back(level);
  }
  return out;
}

// The scheme that most nodes carry, the first on a tie; empty if none does.
Scheme MostCommon(const std::vector<Scheme>& schemes, std::span<const TopologyInput> nodes) {
  const Scheme* best = nullptr;
  ptrdiff_t best_count = 0;
  for (const Scheme& scheme : schemes) {
    const ptrdiff_t count =
        std::count_if(nodes.begin(), nodes.end(),
                      [&](const TopologyInput& node) { return Carries(scheme, *node.labels); });
    if (count > best_count) {
      best = &scheme;
      best_count = count;
    }
  }
  return best == nullptr ? Scheme{} : Found(*best, nodes);
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

// A cluster has one level of a name: the accelerator scheme's rack stands for the fabric's.
void DropRepeatedNames(Scheme& fabric, const Scheme& accelerator) {
  std::erase_if(fabric, [&](const LevelSource& level) {
    return std::any_of(accelerator.begin(), accelerator.end(),
                       [&](const LevelSource& other) { return other.name == level.name; });
  });
}

std::set<std::string, std::less<>> TopologyKeys() {
  std::set<std::string, std::less<>> keys = {std::string(kGkeAccelerator)};
  for (const LevelSource& level : Regions()) keys.insert(level.key);
  for (const std::vector<Scheme>* schemes : {&FabricSchemes(), &AcceleratorSchemes()}) {
    for (const Scheme& scheme : *schemes) {
      for (const LevelSource& level : scheme) keys.insert(level.key);
    }
  }
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

std::vector<LevelSource> ChooseLevels(std::span<const TopologyInput> nodes) {
  const Scheme accelerator = MostCommon(AcceleratorSchemes(), nodes);
  Scheme fabric = MostCommon(FabricSchemes(), nodes);
  DropRepeatedNames(fabric, accelerator);
  const auto above = static_cast<ptrdiff_t>(FabricLevelsAbove(nodes, fabric, accelerator));
  Scheme levels = Found(Regions(), nodes);
  levels.insert(levels.end(), fabric.begin(), fabric.begin() + above);
  levels.insert(levels.end(), accelerator.begin(), accelerator.end());
  levels.insert(levels.end(), fabric.begin() + above, fabric.end());
  if (levels.size() > Topology::kMaxLevels) {
    levels.erase(levels.begin(), levels.end() - Topology::kMaxLevels);
  }
  return levels;
}

bool IsTopologyLabel(std::string_view key) {
  static const std::set<std::string, std::less<>> keys = TopologyKeys();
  return keys.contains(key);
}

}  // namespace phalanx

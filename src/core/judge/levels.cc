#include "core/judge/levels.h"

#include <map>
#include <set>
#include <utility>

namespace phalanx::judge {

// One line per level of each labelling scheme, coarse to fine within a scheme; the schemes in the
// order in which they win a tie. Readings: w = whole value, p = the part before the first dot,
// g = whole value on a GB200 or GB300 node, else nothing.
struct LevelTable {
  using Level = Levels::Level;
  using Scheme = std::vector<Level>;

  static std::vector<Scheme> Fabrics() {
    const std::string topograph = "fabric.topograph.run/tier-";
    const std::string older = "network.topology.nvidia.com/";
    const std::string eks = "topology.k8s.aws/network-node-layer-";
    const std::string oci = "oci.oraclecloud.com/rdma.";
    Scheme tiers;
    for (int tier = 15; tier > 1; --tier) {
      tiers.push_back({"tier-" + std::to_string(tier), topograph + std::to_string(tier)});
    }
    tiers.push_back({"spine", topograph + "1"});
    tiers.push_back({"leaf", topograph + "0"});
    return {tiers,
            {{"datacenter", older + "datacenter"},
             {"core", older + "core"},
             {"spine", older + "spine"},
             {"block", older + "block"},
             {"leaf", older + "leaf"}},
            {{"block", "cloud.google.com/gce-topology-block"},
             {"subblock", "cloud.google.com/gce-topology-subblock"}},
            {{"cluster", "topology.gke.io/cluster"}, {"rack", "topology.gke.io/rack"}},
            {{"layer-1", eks + "1"},
             {"layer-2", eks + "2"},
             {"layer-3", eks + "3"},
             {"layer-4", eks + "4"}},
            {{"island", oci + "hpc_island_id"},
             {"network-block", oci + "network_block_id"},
             {"local-block", oci + "local_block_id"}},
            {{"fabric", "backend.coreweave.cloud/fabric"},
             {"superpod", "backend.coreweave.cloud/superpod"},
             {"leaf", "backend.coreweave.cloud/leafgroup"},
             {"rack", "node.coreweave.cloud/rack"}},
            {{"fabric", "ib.coreweave.cloud/fabric"},
             {"superpod", "ib.coreweave.cloud/superpod"},
             {"leaf", "ib.coreweave.cloud/leafgroup"}},
            {{"spine", "topology.nebius.com/tier-2"}, {"leaf", "topology.nebius.com/tier-1"}}};
  }

  static std::vector<Scheme> Accelerators() {
    return {{{"rack", "nvidia.com/gpu.clique", 'p'}, {"nvlink", "nvidia.com/gpu.clique"}},
            {{"nvlink", "accelerator.topograph.run/domain"},
             {"nvlink-sub", "accelerator.topograph.run/sub-domain"}},
            {{"nvlink", "network.topology.nvidia.com/accelerator"}},
            {{"nvlink", "ds.coreweave.com/nvlink.domain"}},
            {{"nvlink", "topology.k8s.aws/ultraserver-id"}},
            {{"nvlink", "oci.oraclecloud.com/host.gpu_memory_fabric_id"}},
            {{"nvlink", "topology.nebius.com/tier-0"}},
            {{"nvlink", "cloud.google.com/gce-topology-subblock", 'g'}}};
  }

  // The scheme with a label on most nodes, without the levels that no node has.
  static Scheme Elect(const std::vector<Scheme>& schemes, const std::vector<NodeObject>& nodes) {
    Scheme elected;
    size_t votes = 0;
    for (const Scheme& scheme : schemes) {
      std::set<size_t> carriers;
      Scheme used;
      for (const Level& level : scheme) {
        bool anywhere = false;
        for (size_t i = 0; i < nodes.size(); ++i) {
          if (Levels::Read(level, nodes[i]).empty()) continue;
          anywhere = true;
          carriers.insert(i);
        }
        if (anywhere) used.push_back(level);
      }
      if (carriers.size() <= votes) continue;
      votes = carriers.size();
      elected = used;
    }
    return elected;
  }

  // The declared levels, and whether they are all: of the objects of the first kind the one that
  // most nodes carry.
  static std::pair<Scheme, bool> Declared(const std::vector<DeclaredTopology>& declared,
                                          const std::vector<NodeObject>& nodes) {
    std::map<int32_t, std::vector<Scheme>> by_kind;
    std::map<int32_t, bool> complete;
    for (const DeclaredTopology& topology : declared) {
      if (topology.levels.empty()) continue;
      Scheme& scheme = by_kind[topology.precedence].emplace_back();
      complete[topology.precedence] = topology.complete;
      for (const DeclaredLevel& level : topology.levels) {
        scheme.push_back(
            {level.name, level.label, level.before_dot ? 'p' : 'w', level.crosses, level.uplink});
      }
    }
    if (by_kind.empty()) return {};
    const Scheme elected = Elect(by_kind.begin()->second, nodes);
    return {elected, !elected.empty() && complete.begin()->second};
  }

  static const Level* Named(const Scheme& scheme, const std::string& name) {
    for (const Level& level : scheme) {
      if (level.name == name) return &level;
    }
    return nullptr;
  }

  // Whether more than half of the NVLink domains with two nodes or more have two values of one of
  // the `fabric` levels.
  static bool MostlyCrossed(const Scheme& fabric, const Level& nvlink,
                            const std::vector<NodeObject>& nodes) {
    using Domain = std::vector<const NodeObject*>;
    const Level zone = {"zone", "topology.kubernetes.io/zone"};
    std::map<std::pair<std::string, std::string>, Domain> domains;
    for (const NodeObject& node : nodes) {
      const std::string value = Levels::Read(nvlink, node);
      if (!value.empty()) domains[{Levels::Read(zone, node), value}].push_back(&node);
    }
    int voting = 0;
    int crossed = 0;
    for (const auto& [key, domain] : domains) {
      if (domain.size() < 2) continue;
      ++voting;
      if (Crosses(fabric, domain)) ++crossed;
    }
    return 2 * crossed > voting;
  }

  static bool Crosses(const Scheme& fabric, const std::vector<const NodeObject*>& domain) {
    for (const Level& level : fabric) {
      std::set<std::string> values;
      for (const NodeObject* node : domain) values.insert(Levels::Read(level, *node));
      values.erase("");
      if (values.size() > 1) return true;
    }
    return false;
  }
};

Levels::Levels(const std::vector<NodeObject>& nodes,
               const std::vector<DeclaredTopology>& declared) {
  const auto [said, complete] = LevelTable::Declared(declared, nodes);
  if (complete) {
    levels_ = said;
    return;
  }
  const auto accelerator = LevelTable::Elect(LevelTable::Accelerators(), nodes);
  const auto fabric = said.empty() ? LevelTable::Elect(LevelTable::Fabrics(), nodes) : said;
  const std::vector<Level> places = {{"region", "topology.kubernetes.io/region"},
                                     {"zone", "topology.kubernetes.io/zone"}};
  for (const Level& level : LevelTable::Elect({places}, nodes)) {
    if (LevelTable::Named(fabric, level.name) == nullptr) levels_.push_back(level);
  }
  std::vector<Level> below;
  const Level* nvlink = LevelTable::Named(accelerator, "nvlink");
  if (nvlink == nullptr && !accelerator.empty()) nvlink = &accelerator.back();
  std::vector<Level> seen;
  for (const Level& level : fabric) {
    if (LevelTable::Named(accelerator, level.name) != nullptr) continue;
    seen.push_back(level);
    const bool crossed = nvlink != nullptr && LevelTable::MostlyCrossed(seen, *nvlink, nodes);
    (crossed ? below : levels_).push_back(level);
  }
  levels_.insert(levels_.end(), accelerator.begin(), accelerator.end());
  for (Level& level : below) {
    level.crosses = accelerator.front().name;
    levels_.push_back(level);
  }
  while (levels_.size() > 16) levels_.erase(levels_.begin());
}

std::vector<std::string> Levels::Names() const {
  std::vector<std::string> names;
  for (const Level& level : levels_) names.push_back(level.name);
  return names;
}

std::string Levels::Read(const Level& level, const NodeObject& node) {
  const auto found = node.labels.find(level.key);
  if (found == node.labels.end()) return "";
  if (level.reading == 'p') return found->second.substr(0, found->second.find('.'));
  if (level.reading == 'g') {
    const auto model = node.labels.find("cloud.google.com/gke-accelerator");
    const std::string prefix = model == node.labels.end()
                                   ? ""
                                   : model->second.substr(0, std::string("nvidia-gb?00").size());
    if (prefix != "nvidia-gb200" && prefix != "nvidia-gb300") return "";
  }
  return found->second;
}

std::optional<size_t> Levels::Find(const std::string& name_or_key) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].name == name_or_key || levels_[i].key == name_or_key) found = i;
  }
  return found;
}

std::optional<std::string> Levels::NameOf(const std::string& name_or_key) const {
  const std::optional<size_t> level = Find(name_or_key);
  if (!level) return std::nullopt;
  return levels_[*level].name;
}

Uplink Levels::UplinkOf(const std::string& name_or_key) const {
  const std::optional<size_t> level = Find(name_or_key);
  return level ? levels_[*level].uplink : Uplink();
}

std::optional<std::vector<std::string>> Levels::DomainOf(const NodeObject& node,
                                                         const std::string& name_or_key) const {
  const std::optional<size_t> level = Find(name_or_key);
  if (!level || Read(levels_[*level], node).empty()) return std::nullopt;
  std::vector<std::string> values;
  for (size_t i = 0; i <= *level; ++i) {
    if (!Crosses(*level, i)) values.push_back(Read(levels_[i], node));
  }
  return values;
}

bool Levels::Crosses(size_t level, size_t above) const {
  if (above == level || levels_[level].crosses.empty() || !levels_[above].crosses.empty()) {
    return false;
  }
  for (size_t i = 0; i <= above; ++i) {
    if (levels_[i].name == levels_[level].crosses) return true;
  }
  return false;
}

}  // namespace phalanx::judge

// Which node labels describe the topology, and how they become levels.
//
// One fabric scheme and one accelerator scheme are chosen per cluster: the one that most nodes
// carry any label of; on a tie the first in the table. Objects may declare a fabric of their own,
// or all levels, in their stead. Levels run from coarse to fine:
//
//     region  zone  <fabric levels>  rack  nvlink        (those that some node carries)
//
// Domains nest by path, so an NVLink domain whose hosts lie under two leaves is two domains. Where
// that happens to more than half of the NVLink domains (of two hosts or more), it is no mistake in
// a label but a fabric that crosses the racks: then the coarsest fabric level that is crossed by so
// many and all finer ones go below the accelerator levels, and it is the leaf that is cut by path.
//
//     leaf l1 ── hosts a0 a1 b0 b1          rack a ── leaf l1 ── a0 a1
//     leaf l2 ── hosts a2 a3 b2 b3               │    leaf l2 ── a2 a3
//     (racks a and b cross both)            rack b ── leaf l1 ── b0 b1 ...
//
// Those fabric levels then cross the accelerator levels, and their true domains are kept as well
// (crossing.h).
#ifndef PHALANX_CORE_CLUSTER_TOPOLOGY_LABELS_H_
#define PHALANX_CORE_CLUSTER_TOPOLOGY_LABELS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/topology.h"
#include "phalanx/objects.h"

namespace phalanx {

// How a level reads its value from a label.
enum class LabelPart {
  kWhole,
  kBeforeDot,  // "UUID.7" -> "UUID"; a value without a dot is whole
  kGkeNvlink,  // whole, on nodes with a GB200 or GB300 accelerator label only
};

struct LevelSource {
  std::string name;
  std::string key;
  LabelPart part = LabelPart::kWhole;
  // The name of the first level above that it crosses (crossing.h); empty: none.
  std::string crosses = {};
  Uplink uplink = {};
};

// The value of a level on a node; empty: the node lacks the level.
std::string_view LevelValue(const LevelSource& level, const LabelMap& labels);

// The levels of this cluster, coarse to fine, at most Topology::kMaxLevels (the finest are kept).
// Of several declared topologies the one counts that most nodes carry any label of, the first on a
// tie; one that no node carries a label of does not count. O(nodes x (table + declared)). The order
// of nodes does not matter.
std::vector<LevelSource> ChooseLevels(std::span<const TopologyInput> nodes,
                                      std::span<const DeclaredTopology> declared = {});

// Whether a label can change the topology.
bool IsTopologyLabel(std::string_view key, std::span<const DeclaredTopology> declared = {});

// The name of the level that the whole value of a label stands for: a well-known one, or what
// follows the last "/" of the key.
std::string LevelNameOf(std::string_view key);

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_TOPOLOGY_LABELS_H_

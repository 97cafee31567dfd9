// Gangs of whole hosts in the Lingjun network (test/data/lingjun-2023): random occupancy, what each
// rule makes of it, and how many leaves are needed at least.
//
// What is needed is counted from the table and the draw alone, in two ways: neither knows the
// cluster, the topology or the search.
#ifndef PHALANX_TEST_SUPPORT_LINGJUN_H_
#define PHALANX_TEST_SUPPORT_LINGJUN_H_

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/cluster/cluster.h"
#include "core/place/placement.h"
#include "sim/baseline/baseline.h"
#include "sim/trace/lingjun.h"

namespace phalanx::testing {

inline constexpr char kLingjunTable[] = "test/data/lingjun-2023/topo.csv.gz";
inline constexpr char kLingjunExpected[] = "test/data/lingjun-2023/expected.csv";

// A row of expected.csv.
struct LingjunCell {
  int64_t occupied_percent = 0;
  int32_t gang_hosts = 0;
  double optimum = 0;
  double nested_best_fit = 0;
  double first_fit = 0;
  double nested_behind_percent = 0;
};

inline std::vector<LingjunCell> ReadLingjunCells() {
  std::vector<LingjunCell> cells;
  std::ifstream in(kLingjunExpected);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    LingjunCell cell;
    std::istringstream(line) >> cell.occupied_percent >> cell.gang_hosts >> cell.optimum >>
        cell.nested_best_fit >> cell.first_fit >> cell.nested_behind_percent;
    cells.push_back(cell);
  }
  return cells;
}

class LingjunWorld {
 public:
  static constexpr int64_t kGpus = 8;

  LingjunWorld() {
    const sim::LingjunTopology table = sim::ReadLingjun(kLingjunTable);
    errors_ = table.errors;
    std::map<Leaf, int> hosts_of;
    for (const sim::LingjunHost& host : table.hosts) {
      const Leaf leaf{host.psw, host.asw};
      const std::string number = std::to_string(10 + hosts_of[leaf]++);
      AddHost(host, host.psw + "-" + host.asw + "-" + number);
      leaf_of_.push_back(leaf);
    }
    cluster_.RefreshTopology();
    busy_.resize(leaf_of_.size());
  }

  const std::vector<std::string>& errors() const { return errors_; }
  size_t hosts() const { return leaf_of_.size(); }
  const Cluster& cluster() const { return cluster_; }

  // Another draw of that part of the hosts.
  void Occupy(int64_t percent, std::mt19937_64& random) {
    std::vector<uint32_t> order(hosts());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
    const auto taken = (static_cast<int64_t>(hosts()) * percent + 50) / 100;
    for (int64_t i = 0; i < std::ssize(order); ++i) {
      const uint32_t host = order[static_cast<size_t>(i)];
      busy_[host] = i < taken;
      const QuantityMap used = {{kGpu, i < taken ? kGpus : 0}};
      cluster_.ledger().Book(PodId(host), nodes_[host], BookingKind::kBound,
                             Resources::From(used, cluster_.resources()));
    }
  }

  // Whole hosts in one aggregation group.
  PlacementRequest Gang(int32_t members) {
    Shape shape;
    shape.request = Resources::From({{kGpu, kGpus}}, cluster_.resources());
    return {.roles = {{cluster_.shapes().Intern(std::move(shape)), members}},
            .required_level = "spine"};
  }

  // Leaves that a placement uses.
  int64_t LeavesOf(const Placement& placement) const {
    std::set<Leaf> leaves;
    for (const SlotsOnHost& slot : placement.slots) {
      leaves.insert(leaf_of_[cluster_.topology().host(slot.host).node.index()]);
    }
    return std::ssize(leaves);
  }

  // The fewest leaves that hold so many free hosts in one group; nullopt: no group has them.
  // Largest first: whatever else was taken could be exchanged for a leaf that holds more.
  std::optional<int64_t> FewestLeaves(int32_t members) const {
    std::optional<int64_t> fewest;
    for (auto& [group, free] : FreeByGroup()) {
      std::sort(free.begin(), free.end(), std::greater<>());
      int64_t left = members;
      int64_t leaves = 0;
      for (; left > 0 && leaves < std::ssize(free); ++leaves) {
        left -= free[static_cast<size_t>(leaves)];
      }
      if (left <= 0) fewest = std::min(fewest.value_or(leaves), leaves);
    }
    return fewest;
  }

  // The same by a knapsack: the fewest leaves that hold k hosts or more, for each k.
  std::optional<int64_t> FewestLeavesByKnapsack(int32_t members) const {
    constexpr int64_t kNever = std::numeric_limits<int32_t>::max();
    int64_t fewest = kNever;
    for (const auto& [group, free] : FreeByGroup()) {
      std::vector<int64_t> least(static_cast<size_t>(members) + 1, kNever);
      least[0] = 0;
      for (const int64_t here : free) {
        for (int64_t k = members; k > 0; --k) {
          int64_t& best = least[static_cast<size_t>(k)];
          best = std::min(best, least[static_cast<size_t>(std::max<int64_t>(k - here, 0))] + 1);
        }
      }
      fewest = std::min(fewest, least.back());
    }
    return fewest == kNever ? std::nullopt : std::optional(fewest);
  }

 private:
  static constexpr char kGpu[] = "nvidia.com/gpu";
  using Leaf = std::pair<std::string, std::string>;  // (PSW, ASW)

  // Names follow the tree, so that first fit by name fills leaf after leaf.
  void AddHost(const sim::LingjunHost& host, std::string name) {
    NodeObject node;
    node.uid = node.name = std::move(name);
    node.labels = {{"fabric.topograph.run/tier-2", host.dsw},
                   {"fabric.topograph.run/tier-1", host.psw},
                   {"fabric.topograph.run/tier-0", host.asw}};
    node.allocatable = {{kGpu, kGpus}};
    nodes_.push_back(cluster_.UpsertNode(node));
  }

  std::map<std::string, std::vector<int64_t>> FreeByGroup() const {
    std::map<Leaf, int64_t> free;
    for (size_t i = 0; i < leaf_of_.size(); ++i) free[leaf_of_[i]] += busy_[i] ? 0 : 1;
    std::map<std::string, std::vector<int64_t>> groups;
    for (const auto& [leaf, hosts] : free) groups[leaf.first].push_back(hosts);
    return groups;
  }

  Cluster cluster_;
  std::vector<std::string> errors_;
  std::vector<NodeId> nodes_;  // by line of the table
  std::vector<Leaf> leaf_of_;  // likewise, and by id of the node
  std::vector<bool> busy_;     // likewise
};

// Sums of leaves over the trials of one cell.
struct LingjunSums {
  int64_t trials = 0;
  int64_t optimum = 0;
  int64_t knapsack = 0;
  int64_t phalanx = 0;
  int64_t nested_best_fit = 0;
  int64_t first_fit = 0;
  int64_t phalanx_behind = 0;  // trials with more leaves than the optimum
  int64_t nested_behind = 0;
  int64_t unplaced = 0;  // of the three rules, where the gang fits
  uint64_t hash = 0;     // over all trials

  double Mean(int64_t sum) const { return static_cast<double>(sum) / static_cast<double>(trials); }
};

// Draws in which no group has room for the gang are drawn again.
inline LingjunSums RunLingjunCell(LingjunWorld& world, const LingjunCell& cell, int trials,
                                  uint64_t seed) {
  std::mt19937_64 random(seed);
  const PlacementRequest gang = world.Gang(cell.gang_hosts);
  LingjunSums sums;
  Hash hash;
  const auto leaves = [&](const Placement* placement) {
    sums.unplaced += placement == nullptr ? 1 : 0;
    return placement == nullptr ? int64_t{0} : world.LeavesOf(*placement);
  };
  while (sums.trials < trials) {
    world.Occupy(cell.occupied_percent, random);
    const std::optional<int64_t> fewest = world.FewestLeaves(cell.gang_hosts);
    if (!fewest) continue;
    ++sums.trials;
    const PlacementAnswer answer = Place(world.cluster(), gang);
    const auto nested = sim::PlaceBy(sim::Baseline::kNestedBestFit, world.cluster(), gang);
    const auto first = sim::PlaceBy(sim::Baseline::kFirstFit, world.cluster(), gang);
    const int64_t by_phalanx = leaves(answer.placement());
    const int64_t by_nested = leaves(nested ? &*nested : nullptr);
    const int64_t by_first = leaves(first ? &*first : nullptr);
    sums.optimum += *fewest;
    sums.knapsack += world.FewestLeavesByKnapsack(cell.gang_hosts).value_or(0);
    sums.phalanx += by_phalanx;
    sums.nested_best_fit += by_nested;
    sums.first_fit += by_first;
    sums.phalanx_behind += by_phalanx > *fewest ? 1 : 0;
    sums.nested_behind += by_nested > *fewest ? 1 : 0;
    hash.Add(*fewest).Add(by_phalanx).Add(by_nested).Add(by_first);
  }
  sums.hash = hash.Done();
  return sums;
}

}  // namespace phalanx::testing

#endif  // PHALANX_TEST_SUPPORT_LINGJUN_H_

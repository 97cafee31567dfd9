// Builds a Topology: hosts are sorted by their values, coarse level first, and the tree is read off
// the sorted list. Values are replaced by their rank among the values of their level, so that
// sorting compares small numbers.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/cluster/topology.h"
#include "core/cluster/topology_labels.h"

namespace phalanx {

class TopologyBuilder {
 public:
  TopologyBuilder(std::span<const TopologyInput> nodes, uint64_t generation,
                  std::span<const DeclaredTopology> declared)
      : sources_(ChooseLevels(nodes, declared)), out_(std::make_shared<Topology>()) {
    out_->generation_ = generation;
    for (const LevelSource& level : sources_) {
      out_->levels_.push_back({level.name, level.key, level.uplink});
    }
    out_->by_level_.resize(sources_.size());
    open_ranks_.fill(kMissing);
    ReadRows(nodes);
  }

  std::shared_ptr<const Topology> Build() {
    out_->domains_.push_back(Topology::Domain{});
    out_->domains_[0].first_host = HostId(0);
    for (const Row& row : rows_) AddHost(row);
    CloseDownTo(0);
    out_->domains_[0].host_count = static_cast<uint32_t>(out_->hosts_.size());
    for (size_t level = 0; level < sources_.size(); ++level) AddCrossing(level);
    return out_;
  }

 private:
  static constexpr uint32_t kMissing = std::numeric_limits<uint32_t>::max();
  // By level, the rank of the value. A missing value comes after all others, so that hosts directly
  // below a domain follow its sub-domains.
  using Ranks = std::array<uint32_t, Topology::kMaxLevels>;

  struct Row {
    NodeId node;
    std::string_view name;
    Ranks ranks;
  };

  void ReadRows(std::span<const TopologyInput> nodes) {
    rows_.reserve(nodes.size());
    for (const TopologyInput& node : nodes) {
      rows_.push_back({node.node, node.name, {}});
      rows_.back().ranks.fill(kMissing);
    }
    for (size_t level = 0; level < sources_.size(); ++level) RankValues(nodes, level);
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return std::tie(a.ranks, a.name) < std::tie(b.ranks, b.name);
    });
  }

  void RankValues(std::span<const TopologyInput> nodes, size_t level) {
    std::vector<std::string_view> values(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      values[i] = LevelValue(sources_[level], *nodes[i].labels);
    }
    std::vector<std::string_view>& sorted = values_[level];
    sorted = values;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (values[i].empty()) continue;
      const auto at = std::lower_bound(sorted.begin(), sorted.end(), values[i]);
      rows_[i].ranks[level] = static_cast<uint32_t>(at - sorted.begin());
    }
  }

  void AddHost(const Row& row) {
    const HostId host(static_cast<uint32_t>(out_->hosts_.size()));
    size_t same = 0;
    while (same < sources_.size() && row.ranks[same] == open_ranks_[same]) ++same;
    CloseDownTo(same);
    for (size_t level = same; level < sources_.size(); ++level) {
      if (row.ranks[level] != kMissing) Open(level, values_[level][row.ranks[level]], host);
    }
    open_ranks_ = row.ranks;
    out_->hosts_.push_back({row.node, std::string(row.name), Innermost()});
    auto& index = out_->host_of_node_;
    if (row.node.index() >= index.size()) index.resize(row.node.index() + 1);
    PHALANX_CHECK(!index[row.node.index()].valid(), "node {} twice", row.name);
    index[row.node.index()] = host;
  }

  // The levels that make the identity of a domain of `level`, without those that it crosses; empty
  // if it crosses none.
  std::vector<size_t> PathAcross(size_t level) const {
    const auto crossed = std::ranges::find(sources_, sources_[level].crosses, &LevelSource::name);
    const auto first = static_cast<size_t>(crossed - sources_.begin());
    if (first >= level) return {};
    std::vector<size_t> path;
    for (size_t above = 0; above < level; ++above) {
      if (above < first || !sources_[above].crosses.empty()) path.push_back(above);
    }
    path.push_back(level);
    return path;
  }

  // rows_ are in the order of hosts.
  void AddCrossing(size_t level) {
    const std::vector<size_t> path = PathAcross(level);
    if (path.empty()) return;
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> hosts_of;
    for (uint32_t host = 0; host < rows_.size(); ++host) {
      if (rows_[host].ranks[level] == kMissing) continue;
      std::vector<uint32_t> values;
      values.reserve(path.size());
      for (const size_t at : path) values.push_back(rows_[host].ranks[at]);
      hosts_of[std::move(values)].push_back(host);
    }
    // Each is made of domains of the tree: as many of both are the same ones.
    if (hosts_of.size() == out_->by_level_[level].size()) return;
    Crossing crossing{LevelId(static_cast<uint32_t>(level)), {}, {}};
    crossing.domain_of.assign(rows_.size(), Crossing::kNone);
    for (const auto& [values, hosts] : hosts_of) {
      for (const uint32_t host : hosts) {
        crossing.domain_of[host] = static_cast<uint32_t>(crossing.domains.size());
      }
      crossing.domains.push_back({PathOf(path, values), RangesOf(hosts)});
    }
    out_->crossings_.push_back(std::move(crossing));
  }

  std::string PathOf(const std::vector<size_t>& levels, const std::vector<uint32_t>& values) const {
    std::string path;
    for (size_t i = 0; i < levels.size(); ++i) {
      if (values[i] == kMissing) continue;
      if (!path.empty()) path += '/';
      path += values_[levels[i]][values[i]];
    }
    return path;
  }

  static std::vector<HostRange> RangesOf(const std::vector<uint32_t>& hosts) {
    std::vector<HostRange> ranges;
    for (const uint32_t host : hosts) {
      if (ranges.empty() || ranges.back().end() != host) ranges.push_back({HostId(host), 0});
      ++ranges.back().count;
    }
    return ranges;
  }

  DomainId Innermost() const { return open_.empty() ? DomainId(0) : open_.back().second; }

  void Open(size_t level, std::string_view name, HostId first) {
    const DomainId id(static_cast<uint32_t>(out_->domains_.size()));
    const DomainId parent = Innermost();
    out_->domains_.push_back(
        {std::string(name), LevelId(static_cast<uint32_t>(level)), parent, first, 0, {}});
    out_->domains_[parent.index()].children.push_back(id);
    out_->by_level_[level].push_back(id);
    open_.emplace_back(level, id);
  }

  // Closes the open domains of `level` and finer ones.
  void CloseDownTo(size_t level) {
    while (!open_.empty() && open_.back().first >= level) {
      Topology::Domain& domain = out_->domains_[open_.back().second.index()];
      domain.host_count = static_cast<uint32_t>(out_->hosts_.size()) - domain.first_host.value();
      open_.pop_back();
    }
  }

  std::vector<LevelSource> sources_;
  std::shared_ptr<Topology> out_;
  std::vector<Row> rows_;
  std::array<std::vector<std::string_view>, Topology::kMaxLevels> values_;  // sorted
  std::vector<std::pair<size_t, DomainId>> open_;  // level and domain, coarse to fine
  Ranks open_ranks_;                               // of the last host
};

std::shared_ptr<const Topology> BuildTopology(std::span<const TopologyInput> nodes,
                                              uint64_t generation,
                                              std::span<const DeclaredTopology> declared) {
  return TopologyBuilder(nodes, generation, declared).Build();
}

}  // namespace phalanx

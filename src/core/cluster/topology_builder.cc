// Builds a Topology: hosts are sorted by their values, coarse level first, and the tree is read off
// the sorted list.
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/cluster/topology.h"
#include "core/cluster/topology_labels.h"

namespace phalanx {

class TopologyBuilder {
 public:
  TopologyBuilder(std::span<const TopologyInput> nodes, uint64_t generation)
      : sources_(ChooseLevels(nodes)), out_(std::make_shared<Topology>()) {
    out_->generation_ = generation;
    for (const LevelSource& level : sources_) out_->levels_.push_back({level.name, level.key});
    out_->by_level_.resize(sources_.size());
    ReadRows(nodes);
  }

  std::shared_ptr<const Topology> Build() {
    out_->domains_.push_back(Topology::Domain{});
    out_->domains_[0].first_host = HostId(0);
    for (const Row& row : rows_) AddHost(row);
    CloseDownTo(0);
    out_->domains_[0].host_count = static_cast<uint32_t>(out_->hosts_.size());
    return out_;
  }

 private:
  using Values = std::array<std::string_view, Topology::kMaxLevels>;

  struct Row {
    NodeId node;
    std::string_view name;
    Values values;  // by level, "" = missing
  };

  void ReadRows(std::span<const TopologyInput> nodes) {
    rows_.reserve(nodes.size());
    for (const TopologyInput& node : nodes) {
      Row row{node.node, node.name, {}};
      for (size_t i = 0; i < sources_.size(); ++i) {
        row.values[i] = LevelValue(sources_[i], *node.labels);
      }
      rows_.push_back(row);
    }
    std::sort(rows_.begin(), rows_.end(), Before);
  }

  // Coarse level first; a missing value comes after all others, so that hosts directly below a
  // domain follow its sub-domains.
  static bool Before(const Row& a, const Row& b) {
    for (size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i] == b.values[i]) continue;
      if (a.values[i].empty() || b.values[i].empty()) return b.values[i].empty();
      return a.values[i] < b.values[i];
    }
    return a.name < b.name;
  }

  void AddHost(const Row& row) {
    const HostId host(static_cast<uint32_t>(out_->hosts_.size()));
    size_t same = 0;
    while (same < sources_.size() && row.values[same] == open_values_[same]) ++same;
    CloseDownTo(same);
    for (size_t level = same; level < sources_.size(); ++level) {
      if (!row.values[level].empty()) Open(level, row.values[level], host);
    }
    open_values_ = row.values;
    out_->hosts_.push_back({row.node, std::string(row.name), Innermost()});
    auto& index = out_->host_of_node_;
    if (row.node.index() >= index.size()) index.resize(row.node.index() + 1);
    PHALANX_CHECK(!index[row.node.index()].valid(), "node {} twice", row.name);
    index[row.node.index()] = host;
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
  std::vector<std::pair<size_t, DomainId>> open_;  // level and domain, coarse to fine
  Values open_values_{};
};

std::shared_ptr<const Topology> BuildTopology(std::span<const TopologyInput> nodes,
                                              uint64_t generation) {
  return TopologyBuilder(nodes, generation).Build();
}

}  // namespace phalanx

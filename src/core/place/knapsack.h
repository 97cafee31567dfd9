// The exact search for equal members: a knapsack over the tree of domains.
//
// f_v[k] = least key with k members below v, for k = 0 .. min(slots below v, members):
//
//     f_host[k]   = touch(host) if k > 0
//     f_domain[k] = touch(domain) if k > 0, plus the least sum of f_child[k_child] over all ways to
//                   split k among the children
//
// The key is a sum over touched vertices, so splitting is all there is to it and the result is
// exact. Ties: children are merged last to first and traced first to last, the lower child taking
// as many as an optimal split allows.
//
// Tables of domains are kept; merges are done again for the few domains that get members. Hosts
// directly below a domain are one child (host_group.h). Cost: O(slots x members) cells.
#ifndef PHALANX_CORE_PLACE_KNAPSACK_H_
#define PHALANX_CORE_PLACE_KNAPSACK_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/cluster/topology.h"
#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/slot_tree.h"
#include "phalanx/ids.h"

namespace phalanx {

// Vertices that the gang touches already, through a role that was placed before: free of charge.
struct TouchedBefore {
  std::vector<char> domains;  // by id; empty: none
  std::vector<char> hosts;

  bool Domain(DomainId id) const { return !domains.empty() && domains[id.index()] != 0; }
  bool Host(HostId id) const { return !hosts.empty() && hosts[id.index()] != 0; }
};

// First id after the subtree of `root`.
uint32_t SubtreeEnd(const Topology& topology, DomainId root);

// The hosts with slots directly below a domain.
std::vector<HostSlots> DirectHosts(const Topology& topology, const SlotTree& slots, DomainId id);

// Cells that the tables below `root` take for `members`: known before anything is computed.
int64_t PredictCells(const Topology& topology, const SlotTree& slots, DomainId root,
                     int32_t members);

template <class Key>
class TreeKnapsack {
 public:
  // REQUIRES: 0 < members <= slots below `root`; the arguments outlive this.
  TreeKnapsack(const Topology& topology, const SlotTree& slots, const KeyLayout& layout,
               const TouchedBefore& touched, DomainId root, int32_t members)
      : topology_(topology),
        slots_(slots),
        layout_(layout),
        touched_(touched),
        root_(root),
        members_(members),
        tables_(SubtreeEnd(topology, root) - root.value()) {
    // Children have higher ids than their parents.
    for (size_t i = tables_.size(); i-- > 0;) {
      const DomainId id(root.value() + static_cast<uint32_t>(i));
      if (SlotsBelow(id) > 0) tables_[i] = MergeAll(PartsOf(id, members_), members_);
    }
  }

  // The key of the best placement; what the root itself touches is not in it.
  Key Best() const { return tables_[0][static_cast<size_t>(members_)]; }
  int64_t cells() const { return cells_; }

  // Adds the members on each host, by host.
  void Trace(std::vector<int32_t>& taken) { Trace(root_, members_, taken); }

 private:
  using Table = std::vector<Key>;

  // A child of a domain: a sub-domain, or the hosts directly below that cost the same.
  struct Part {
    DomainId domain;
    std::vector<HostSlots> hosts;
    Table table;
  };

  int64_t SlotsBelow(DomainId id) const { return slots_.Sum(topology_.domain(id)); }
  int LevelOf(DomainId id) const {
    const LevelId level = topology_.domain(id).level;
    return level.valid() ? static_cast<int>(level.value()) : -1;
  }

  std::vector<Part> PartsOf(DomainId id, int32_t limit) const {
    std::vector<Part> parts;
    for (const DomainId child : topology_.domain(id).children) {
      if (SlotsBelow(child) == 0) continue;
      parts.push_back({child, {}, DomainTable(child, LevelOf(id), limit)});
    }
    Part touched, fresh;
    for (const HostSlots& host : DirectHosts(topology_, slots_, id)) {
      (touched_.Host(host.host) ? touched : fresh).hosts.push_back(host);
    }
    const Key touch = layout_.Touch<Key>(LevelOf(id), topology_.levels().size());
    touched.table = HostTable(touched.hosts, Key{}, limit);
    fresh.table = HostTable(fresh.hosts, touch, limit);
    if (!touched.hosts.empty()) parts.push_back(std::move(touched));
    if (!fresh.hosts.empty()) parts.push_back(std::move(fresh));
    return parts;
  }

  Table DomainTable(DomainId child, int parent_level, int32_t limit) const {
    const Table& inner = tables_[child.value() - root_.value()];
    const size_t size = std::min(inner.size(), static_cast<size_t>(limit) + 1);
    Table table(inner.begin(), inner.begin() + static_cast<ptrdiff_t>(size));
    if (touched_.Domain(child)) return table;
    const Key touch = layout_.Touch<Key>(parent_level, static_cast<size_t>(LevelOf(child)));
    for (size_t k = 1; k < table.size(); ++k) table[k] = table[k] + touch;
    return table;
  }

  static Table HostTable(std::span<const HostSlots> hosts, const Key& touch, int32_t limit) {
    const std::vector<int32_t> fewest = FewestHosts(hosts, limit);
    Table table(fewest.size(), Key{});
    for (size_t k = 1; k < table.size(); ++k) {
      table[k] = fewest[k] == fewest[k - 1] ? table[k - 1] : table[k - 1] + touch;
    }
    return table;
  }

  // [k] = least sum of part[j] + rest[k - j].
  Table Merge(const Table& part, const Table& rest, int32_t limit) {
    const size_t size = std::min(part.size() + rest.size() - 1, static_cast<size_t>(limit) + 1);
    Table out(size);
    std::copy_n(rest.begin(), std::min(size, rest.size()), out.begin());
    for (size_t k = rest.size(); k < size; ++k) out[k] = part[k - rest.size() + 1] + rest.back();
    for (size_t j = 1; j < part.size(); ++j) {
      const Key add = part[j];
      const size_t end = std::min(rest.size(), size - std::min(size, j));
      for (size_t i = 0; i < end; ++i) out[j + i] = std::min(out[j + i], add + rest[i]);
    }
    cells_ += static_cast<int64_t>(part.size()) * static_cast<int64_t>(rest.size());
    return out;
  }

  Table MergeAll(std::vector<Part> parts, int32_t limit) {
    Table merged(1, Key{});
    for (size_t i = parts.size(); i-- > 0;) merged = Merge(parts[i].table, merged, limit);
    return merged;
  }

  void Trace(DomainId id, int32_t members, std::vector<int32_t>& taken) {
    const std::vector<Part> parts = PartsOf(id, members);
    const std::vector<int32_t> split = SplitAmong(parts, members);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (split[i] == 0) continue;
      if (parts[i].domain.valid()) {
        Trace(parts[i].domain, split[i], taken);
      } else {
        SpreadOverHosts(parts[i].hosts, split[i], taken);
      }
    }
  }

  // How many members each part takes. All merges from the last part to the first would need
  // parts x members keys at once; above kTraceKeys only every `block`th is kept and those between
  // are made again.
  std::vector<int32_t> SplitAmong(const std::vector<Part>& parts, int32_t members) {
    size_t block = parts.size();
    if (parts.size() * static_cast<size_t>(members) > kTraceKeys) {
      for (block = 1; block * block < parts.size();) ++block;
    }
    // What comes after each block, the last block first.
    std::vector<Table> kept = {Table(1, Key{})};
    Table merged = kept.back();
    for (size_t i = parts.size(); i-- > block;) {
      merged = Merge(parts[i].table, merged, members);
      if (i % block == 0) kept.push_back(merged);
    }
    std::vector<int32_t> split;
    for (size_t first = 0; first < parts.size(); first += block) {
      const std::span<const Part> here =
          std::span(parts).subspan(first, std::min(block, parts.size() - first));
      SplitBlock(here, kept.back(), members, split);
      kept.pop_back();
    }
    PHALANX_CHECK(members == 0, "{} members left over", members);
    return split;
  }

  // Takes from `members` what the parts of a block get; `after` is the merge of all later parts.
  void SplitBlock(std::span<const Part> parts, const Table& after, int32_t& members,
                  std::vector<int32_t>& split) {
    std::vector<Table> rest(parts.size() + 1);
    rest.back() = after;
    for (size_t i = parts.size(); i-- > 0;) rest[i] = Merge(parts[i].table, rest[i + 1], members);
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto most = std::min<int32_t>(members, static_cast<int32_t>(parts[i].table.size()) - 1);
      const Key best = rest[i][static_cast<size_t>(members)];
      int32_t take = most;
      while (!Attains(parts[i].table, rest[i + 1], take, members, best)) --take;
      split.push_back(take);
      members -= take;
    }
  }

  static bool Attains(const Table& part, const Table& rest, int32_t take, int32_t members,
                      const Key& best) {
    PHALANX_CHECK(take >= 0, "no split of {} members attains the best key", members);
    const auto left = static_cast<size_t>(members - take);
    return left < rest.size() && part[static_cast<size_t>(take)] + rest[left] == best;
  }

  static constexpr size_t kTraceKeys = size_t{1} << 22;

  const Topology& topology_;
  const SlotTree& slots_;
  const KeyLayout& layout_;
  const TouchedBefore& touched_;
  const DomainId root_;
  const int32_t members_;
  std::vector<Table> tables_;  // by id from the root's on
  int64_t cells_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_KNAPSACK_H_

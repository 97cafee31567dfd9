// The exact search for equal members where a domain of one level takes none or at least so many.
//
// A staircase (staircase.h) says what up to k members cost, which is not enough here: where at
// least 4 must be in a rack, 3 can not be placed below one, though 5 can. So the table has an entry
// for each number of members, and those that can not be had cost more than everything else:
//
//     rack of 6 slots, at least 4     k     0  1  2  3  4  5  6
//                                     cost  0  ∞  ∞  ∞  1  1  1
//
// Otherwise as knapsack.h: the same sums, keys and ties.
#ifndef PHALANX_CORE_PLACE_DENSE_KNAPSACK_H_
#define PHALANX_CORE_PLACE_DENSE_KNAPSACK_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/cluster/topology.h"
#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/tree_query.h"
#include "phalanx/ids.h"

namespace phalanx {

// Domains of the level that are used at all hold at least so many.
struct LeastMembers {
  LevelId level;
  int32_t members = 1;
};

template <class Key>
class DenseKnapsack {
 public:
  // Gives up above `max_cells`. REQUIRES: 0 < members <= slots below `root`, which is coarser than
  // the level of `least`; no segments; the query and the layout outlive this.
  DenseKnapsack(const TreeQuery& query, const KeyLayout& layout, LeastMembers least, DomainId root,
                int64_t max_cells)
      : query_(query),
        topology_(query.topology),
        layout_(layout),
        least_(least),
        root_(root),
        tables_(SubtreeEnd(topology_, root) - root.value()) {
    for (size_t i = tables_.size(); i-- > 0 && cells_ <= max_cells;) {
      const DomainId id(root.value() + static_cast<uint32_t>(i));
      if (query_.slots.Sum(id) > 0) tables_[i] = TableOf(id);
    }
    finished_ = cells_ <= max_cells;
  }

  bool finished() const { return finished_; }
  int64_t cells() const { return cells_; }
  // REQUIRES: finished().
  bool Fits() const { return Best() < AboveAllKeys<Key>(); }
  Key Best() const { return tables_[0][static_cast<size_t>(query_.members)]; }
  // Appends the members on each host. REQUIRES: Fits().
  void Trace(std::vector<HostShare>& taken) { Trace(root_, query_.members, taken); }

 private:
  using Table = std::vector<Key>;  // by members

  struct Part {
    DomainId domain;  // or a host directly below
    HostId host;
    Table table;
  };

  // With at most the slots of the domain, which may be fewer than those of its children (spread.h).
  Table TableOf(DomainId id) {
    Table table = {Key{}};
    for (const Part& part : PartsOf(id)) table = Merge(part.table, table);
    const auto slots = static_cast<size_t>(query_.slots.Sum(id));
    table.resize(std::min(table.size(), slots + 1));
    if (topology_.domain(id).level == least_.level) NotFewer(table);
    return table;
  }

  void NotFewer(Table& table) const {
    const auto end = std::min(table.size(), static_cast<size_t>(least_.members));
    for (size_t k = 1; k < end; ++k) table[k] = AboveAllKeys<Key>();
  }

  // Last to first.
  std::vector<Part> PartsOf(DomainId id) const {
    std::vector<Part> parts;
    const int level = query_.LevelOf(id);
    for (const DomainId child : topology_.domain(id).children) {
      if (query_.slots.Sum(child) == 0) continue;
      Key touch{};
      if (!query_.touched.Domain(child)) {
        touch = layout_.template Touch<Key>(level, topology_.domain(child).level.index());
      }
      parts.push_back({child, HostId::None(), Touched(tables_[Index(child)], touch)});
    }
    for (const HostSlots& host : DirectHosts(topology_, query_.slots, id)) {
      parts.push_back({DomainId::None(), host.host, HostTable(host, level)});
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  Table HostTable(const HostSlots& host, int level) const {
    Key touch{};
    if (!query_.touched.Host(host.host)) {
      touch = layout_.template Touch<Key>(level, topology_.levels().size());
    }
    Table table(static_cast<size_t>(std::min(host.slots, query_.members)) + 1, touch);
    table[0] = Key{};
    if (least_.level == topology_.host_level()) NotFewer(table);
    return table;
  }

  static Table Touched(Table table, const Key& touch) {
    for (size_t k = 1; k < table.size(); ++k) {
      if (table[k] < AboveAllKeys<Key>()) table[k] = table[k] + touch;
    }
    return table;
  }

  Table Merge(const Table& a, const Table& b) {
    const auto members = static_cast<size_t>(query_.members);
    Table out(std::min(a.size() + b.size() - 1, members + 1), AboveAllKeys<Key>());
    for (size_t i = 0; i < std::min(a.size(), out.size()); ++i) {
      if (a[i] == AboveAllKeys<Key>()) continue;
      const size_t end = std::min(b.size(), out.size() - i);
      for (size_t k = 0; k < end; ++k) {
        if (b[k] < AboveAllKeys<Key>()) out[i + k] = std::min(out[i + k], a[i] + b[k]);
      }
    }
    cells_ += static_cast<int64_t>(a.size() * b.size());
    return out;
  }

  size_t Index(DomainId id) const { return id.value() - root_.value(); }

  // The first part takes as many as an optimal split allows, then the second, and so on.
  void Trace(DomainId id, int32_t members, std::vector<HostShare>& taken) {
    const std::vector<Part> parts = PartsOf(id);
    std::vector<Table> rest = {{Key{}}};  // of the last parts, none first
    for (const Part& part : parts) rest.push_back(Merge(part.table, rest.back()));
    for (size_t i = parts.size(); i-- > 0 && members > 0;) {
      const int32_t take = Take(parts[i].table, rest[i], members, rest[i + 1]);
      members -= take;
      if (take == 0) continue;
      if (parts[i].host.valid()) {
        taken.push_back({parts[i].host, take});
      } else {
        Trace(parts[i].domain, take, taken);
      }
    }
    PHALANX_CHECK(members == 0, "{} members left over", members);
  }

  static int32_t Take(const Table& part, const Table& rest, int32_t members, const Table& both) {
    const auto all = static_cast<size_t>(members);
    size_t take = std::min(part.size() - 1, all);
    const auto attains = [&](size_t here) {
      return all - here < rest.size() && part[here] < AboveAllKeys<Key>() &&
             rest[all - here] < AboveAllKeys<Key>() && part[here] + rest[all - here] == both[all];
    };
    while (!attains(take)) {
      PHALANX_CHECK(take > 0, "no split of {} members attains the best key", members);
      --take;
    }
    return static_cast<int32_t>(take);
  }

  const TreeQuery& query_;
  const Topology& topology_;
  const KeyLayout& layout_;
  const LeastMembers least_;
  const DomainId root_;
  std::vector<Table> tables_;  // by id from the root's on
  int64_t cells_ = 0;
  bool finished_ = false;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_DENSE_KNAPSACK_H_

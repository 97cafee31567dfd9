// The knapsack of the terms that come after what is touched: of the placements with the least key
// the one that adds the least to fragmentation (vertex_costs.h), exact like knapsack.h.
//
// What members add does not grow with their number, so there are no stairs: a table has one entry
// for each number of members that can belong to a placement with the least key. The rest is ruled
// out by the fewest domains and hosts (count_bound.h), which leaves few:
//
//     12 members, slots 8 8 5 3 4, two hosts: a host takes 4, 5 or 8 of them, or none
#ifndef PHALANX_CORE_PLACE_FRAGMENT_KNAPSACK_H_
#define PHALANX_CORE_PLACE_FRAGMENT_KNAPSACK_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/place/count_bound.h"
#include "core/place/key.h"
#include "core/place/tree_query.h"
#include "core/place/vertex_costs.h"
#include "phalanx/ids.h"

namespace phalanx {

// `Costs`: VertexCosts, or LinkedCosts where links count, which come before fragmentation. Those
// may forbid numbers of members below a domain, and then the best placement may touch more than the
// least: without a bound the table has every number, and the key decides before the costs do.
template <class Key, class Costs>
class FragmentKnapsack {
 public:
  using Cost = typename Costs::Cost;

  // Gives up above `max_cells`. `bound` has the fewest of all levels that the layout counts;
  // absent: nothing is ruled out. REQUIRES: nothing is touched before, there are no segments where
  // there is a bound; all but the bound outlive this.
  FragmentKnapsack(const TreeQuery& query, const KeyLayout& layout, DomainId root,
                   int64_t max_cells, std::optional<CountBound> bound, const Costs& costs)
      : query_(query),
        topology_(query.topology),
        layout_(layout),
        root_(root),
        max_cells_(max_cells),
        bound_(std::move(bound)),
        costs_(costs),
        tables_(SubtreeEnd(topology_, root) - root.value()) {
    // Children have higher ids than their parents.
    for (size_t i = tables_.size(); i-- > 0 && finished();) {
      const DomainId id(root.value() + static_cast<uint32_t>(i));
      if (query_.slots.Sum(id) == 0) continue;
      const std::vector<Part> parts = PartsOf(id, query_.members);
      Table merged = Nothing();
      for (size_t p = parts.size(); p-- > 0 && finished();) {
        merged = Merge(parts[p].table, merged, query_.members);
      }
      if (query_.segment > 1 && topology_.domain(id).level == query_.segment_level) {
        WholeSegments(merged);
      }
      tables_[i] = std::move(merged);
    }
  }

  bool finished() const { return cells_ <= max_cells_; }
  // Whether a placement is left. REQUIRES (of all that follow): finished().
  bool Fits() const { return ValueOf(tables_[0], query_.members) != nullptr; }
  // Of the best placement; what the root itself touches and adds is not in it. REQUIRES: Fits().
  Key BestKey() const { return ValueOf(tables_[0], query_.members)->key; }
  Cost Best() const { return ValueOf(tables_[0], query_.members)->cost; }
  int64_t cells() const { return cells_; }

  // Appends the members on each host. REQUIRES: Fits().
  void Trace(std::vector<HostShare>& taken) { Trace(root_, query_.members, taken); }

 private:
  struct Value {
    Key key{};
    Cost cost;

    friend Value operator+(const Value& a, const Value& b) {
      return {a.key + b.key, a.cost + b.cost};
    }
    friend bool operator==(const Value&, const Value&) = default;
    friend bool operator<(const Value& a, const Value& b) {
      return a.key < b.key || (a.key == b.key && a.cost < b.cost);
    }
  };
  struct Entry {
    int32_t members = 0;
    Value value;
  };
  using Table = std::vector<Entry>;  // by members; [0] is {0, 0}
  // A child of a domain: a sub-domain or a host.
  struct Part {
    Vertex vertex;
    Table table;
  };

  static Table Nothing() { return {Entry{}}; }

  static const Value* ValueOf(const Table& table, int32_t members) {
    const auto entry =
        std::lower_bound(table.begin(), table.end(), members,
                         [](const Entry& has, int32_t count) { return has.members < count; });
    return entry == table.end() || entry->members != members ? nullptr : &entry->value;
  }

  bool Dead(int32_t members, const Key& key) const { return bound_ && bound_->Dead(members, key); }

  void WholeSegments(Table& table) const {
    std::erase_if(table,
                  [this](const Entry& entry) { return entry.members % query_.segment != 0; });
  }

  std::vector<Part> PartsOf(DomainId id, int32_t limit) {
    std::vector<Part> parts;
    for (const DomainId child : topology_.domain(id).children) {
      if (query_.slots.Sum(child) == 0) continue;
      parts.push_back({{child, HostId::None()}, DomainTable(id, child, limit)});
    }
    for (const HostSlots& host : DirectHosts(topology_, query_.slots, id)) {
      parts.push_back({{DomainId::None(), host.host}, HostTable(id, host, limit)});
    }
    return parts;
  }

  Table DomainTable(DomainId id, DomainId child, int32_t limit) const {
    const Key touch =
        layout_.template Touch<Key>(query_.LevelOf(id), topology_.domain(child).level.index());
    Table table = Nothing();
    for (const Entry& entry : tables_[child.value() - root_.value()]) {
      if (entry.members == 0 || entry.members > limit) continue;
      if constexpr (Costs::kMayForbid) {
        if (costs_.Forbids(child, entry.members)) continue;
      }
      const Value added{touch, costs_.OfDomain(child, entry.members)};
      table.push_back({entry.members, entry.value + added});
    }
    return table;
  }

  Table HostTable(DomainId id, const HostSlots& host, int32_t limit) {
    const Key touch = layout_.template Touch<Key>(query_.LevelOf(id), topology_.levels().size());
    Table table = Nothing();
    const int32_t most = std::min(host.slots, limit);
    for (int32_t members = 1; members <= most; ++members) {
      if (Dead(members, touch)) continue;
      table.push_back({members, {touch, costs_.OfHost(host.host, members)}});
    }
    if (query_.segment > 1 && query_.segment_level == topology_.host_level()) WholeSegments(table);
    cells_ += most;
    return table;
  }

  Table Merge(const Table& part, const Table& rest, int32_t limit) {
    const int32_t reach = std::min(part.back().members + rest.back().members, limit);
    least_.assign(static_cast<size_t>(reach) + 1, Value{AboveAllKeys<Key>(), {}});
    for (const Entry& first : part) {
      for (const Entry& second : rest) {
        if (first.members + second.members > reach) break;
        Value& least = least_[static_cast<size_t>(first.members + second.members)];
        const Value sum = first.value + second.value;
        if (sum < least) least = sum;
      }
    }
    cells_ += static_cast<int64_t>(part.size() * rest.size()) + reach;
    Table out;
    for (int32_t members = 0; members <= reach; ++members) {
      const Value& value = least_[static_cast<size_t>(members)];
      if (value.key == AboveAllKeys<Key>() || Dead(members, value.key)) continue;
      out.push_back({members, value});
    }
    return out;
  }

  void Trace(DomainId id, int32_t members, std::vector<HostShare>& taken) {
    const std::vector<Part> parts = PartsOf(id, members);
    std::vector<Table> rest(parts.size() + 1);
    rest.back() = Nothing();
    for (size_t i = parts.size(); i-- > 0;) rest[i] = Merge(parts[i].table, rest[i + 1], members);
    for (size_t i = 0; i < parts.size(); ++i) {
      const int32_t here = ShareOf(parts[i].table, rest[i], rest[i + 1], members);
      members -= here;
      if (here == 0) continue;
      if (parts[i].vertex.host.valid()) {
        taken.push_back({parts[i].vertex.host, here});
      } else {
        Trace(parts[i].vertex.domain, here, taken);
      }
    }
    PHALANX_CHECK(members == 0, "{} members left over", members);
  }

  // The most that the first of the parts takes in a best way to place `members`.
  static int32_t ShareOf(const Table& part, const Table& all, const Table& rest, int32_t members) {
    const Value* best = ValueOf(all, members);
    PHALANX_CHECK(best != nullptr, "no way to place {} members", members);
    for (size_t i = part.size(); i-- > 0;) {
      const Value* others = ValueOf(rest, members - part[i].members);
      if (others != nullptr && part[i].value + *others == *best) return part[i].members;
    }
    PHALANX_CHECK(false, "no split of {} members attains the best value", members);
    return 0;
  }

  const TreeQuery& query_;
  const Topology& topology_;
  const KeyLayout& layout_;
  const DomainId root_;
  const int64_t max_cells_;
  const std::optional<CountBound> bound_;
  const Costs& costs_;
  std::vector<Table> tables_;  // by id from the root's on
  std::vector<Value> least_;   // scratch
  int64_t cells_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_FRAGMENT_KNAPSACK_H_

// The knapsack with states of small roles; see small_roles.h for what it is and knapsack.h for the
// plain one.
#ifndef PHALANX_CORE_PLACE_STATE_KNAPSACK_H_
#define PHALANX_CORE_PLACE_STATE_KNAPSACK_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/place/key.h"
#include "core/place/role_states.h"
#include "core/place/staircase.h"
#include "core/place/tree_query.h"
#include "phalanx/ids.h"

namespace phalanx {

// Members of all roles on one host.
struct StateShare {
  HostId host;
  int32_t large = 0;
  size_t state = 0;
};

template <class Key>
class StateKnapsack {
 public:
  // `query.slots` is above zero where any role finds a slot; `query.members` is of the large role.
  // `beside` by host: LargeBesideSmall(). Gives up above `max_cells`.
  StateKnapsack(const TreeQuery& query, const KeyLayout& layout, const RoleStates& states,
                const std::vector<std::vector<int32_t>>& beside, DomainId root, int64_t max_cells)
      : query_(query),
        topology_(query.topology),
        layout_(layout),
        states_(states),
        beside_(beside),
        root_(root),
        tables_(SubtreeEnd(topology_, root) - root.value()) {
    for (size_t i = tables_.size(); i-- > 0 && cells() <= max_cells;) {
      const DomainId id(root.value() + static_cast<uint32_t>(i));
      if (query_.slots.Sum(id) == 0) continue;
      Table merged = Nothing();
      const std::vector<Part> parts = PartsOf(id);
      for (size_t p = parts.size(); p-- > 0 && cells() <= max_cells;) {
        merged = Merge(parts[p].table, merged);
      }
      if (IsSegmentDomain(id)) InSegments(merged);
      tables_[i] = std::move(merged);
    }
    finished_ = cells() <= max_cells;
  }

  bool finished() const { return finished_; }
  // Whether everything fits below the root. REQUIRES: finished().
  bool Fits() const { return Reaches(tables_[0][states_.all()], query_.members); }
  // REQUIRES: Fits().
  Key Best() const { return KeyOf(tables_[0][states_.all()], query_.members); }
  int64_t cells() const { return merger_.cells(); }

  // Appends the members on each host. REQUIRES: Fits().
  void Trace(std::vector<StateShare>& taken) { Trace(root_, query_.members, states_.all(), taken); }

 private:
  using Stairs = Staircase<Key>;
  using Table = std::vector<Stairs>;  // by state; empty: impossible

  // A child of a domain: a sub-domain or a host.
  struct Part {
    Vertex vertex;
    Table table;
  };

  // Such a domain, and what is coarser, takes whole segments of the large role.
  bool IsSegmentDomain(DomainId id) const {
    return query_.HoldsSegments(root_) && topology_.domain(id).level == query_.segment_level;
  }
  int32_t Unit(DomainId id) const { return query_.HoldsSegments(id) ? query_.segment : 1; }

  void InSegments(Table& table) const {
    for (Stairs& stairs : table) {
      Stairs out;
      for (const Step<Key>& step : stairs) {
        const int32_t most = step.most / query_.segment * query_.segment;
        if (out.empty() || most > out.back().most) out.push_back({most, step.key});
      }
      stairs = std::move(out);
    }
  }

  static bool Reaches(const Stairs& stairs, int32_t members) {
    return !stairs.empty() && stairs.back().most >= members;
  }

  Table Nothing() const {
    Table table(states_.size());
    table[0] = GroundFloor<Key>();
    return table;
  }

  std::vector<Part> PartsOf(DomainId id) const {
    std::vector<Part> parts;
    for (const DomainId child : topology_.domain(id).children) {
      if (query_.slots.Sum(child) == 0) continue;
      const Key touch =
          layout_.template Touch<Key>(query_.LevelOf(id), topology_.domain(child).level.index());
      parts.push_back({{child, HostId::None()}, DomainTable(child, touch)});
    }
    const Key touch = layout_.template Touch<Key>(query_.LevelOf(id), topology_.levels().size());
    for (const HostSlots& host : DirectHosts(topology_, query_.slots, id)) {
      parts.push_back({{DomainId::None(), host.host}, HostTable(host.host, touch)});
    }
    return parts;
  }

  Table DomainTable(DomainId child, const Key& touch) const {
    Table table = tables_[child.value() - root_.value()];
    for (size_t state = 0; state < table.size(); ++state) {
      for (size_t i = state == 0 ? 1 : 0; i < table[state].size(); ++i) {
        table[state][i].key = table[state][i].key + touch;
      }
    }
    return table;
  }

  Table HostTable(HostId host, const Key& touch) const {
    Table table = Nothing();
    const std::vector<int32_t>& beside = beside_[host.index()];
    for (size_t state = 0; state < table.size(); ++state) {
      const int32_t most = std::min(beside[state], query_.members);
      if (most >= (state == 0 ? 1 : 0)) table[state].push_back({most, touch});
    }
    return table;
  }

  Table Merge(const Table& part, const Table& rest) {
    Table out(states_.size());
    for (size_t state = 0; state < out.size(); ++state) {
      const int32_t reach = ReachOf(part, rest, state);
      if (reach < 0) continue;
      merger_.Start(reach);
      ForPairs(part, rest, state, [&](size_t a, size_t b) { merger_.Pour(part[a], rest[b]); });
      out[state] = state == 0 ? merger_.WithGround() : merger_.WithoutGround();
    }
    return out;
  }

  // The ways to split a state that are possible on both sides.
  template <class Use>
  void ForPairs(const Table& part, const Table& rest, size_t state, Use use) const {
    for (size_t a = 0; a <= state; ++a) {
      const size_t b = state - a;
      if (states_.Sum(a, b) != state || part[a].empty() || rest[b].empty()) continue;
      use(a, b);
    }
  }

  int32_t ReachOf(const Table& part, const Table& rest, size_t state) const {
    int32_t reach = -1;
    ForPairs(part, rest, state, [&](size_t a, size_t b) {
      reach = std::max(reach, part[a].back().most + rest[b].back().most);
    });
    return std::min(reach, query_.members);
  }

  void Trace(DomainId id, int32_t members, size_t state, std::vector<StateShare>& taken) {
    const std::vector<Part> parts = PartsOf(id);
    std::vector<Table> rest(parts.size() + 1);
    rest.back() = Nothing();
    for (size_t i = parts.size(); i-- > 0;) rest[i] = Merge(parts[i].table, rest[i + 1]);
    for (size_t i = 0; i < parts.size(); ++i) {
      const Split left{members, state, Unit(id)};
      const auto [take, its] = Share(parts[i].table, rest[i], rest[i + 1], left);
      members -= take;
      state -= its;
      if (take == 0 && its == 0) continue;
      if (parts[i].vertex.host.valid()) {
        taken.push_back({parts[i].vertex.host, take, its});
      } else {
        Trace(parts[i].vertex.domain, take, its, taken);
      }
    }
    PHALANX_CHECK(members == 0 && state == 0, "{} members and state {} left over", members, state);
  }

  // To be divided among the parts, members in units of so many.
  struct Split {
    int32_t members;
    size_t state;
    int32_t unit;
  };

  // What the first of the parts takes.
  std::pair<int32_t, size_t> Share(const Table& part, const Table& all, const Table& rest,
                                   const Split& split) const {
    const auto [members, state, unit] = split;
    const Key best = KeyOf(all[state], members);
    for (int32_t take = members; take >= 0; take -= unit) {
      for (size_t its = state + 1; its-- > 0;) {
        if (states_.Sum(its, state - its) != state) continue;
        const Stairs& here = part[its];
        const Stairs& there = rest[state - its];
        if (!Reaches(here, take) || !Reaches(there, members - take)) continue;
        if (KeyOf(here, take) + KeyOf(there, members - take) == best) return {take, its};
      }
    }
    PHALANX_CHECK(false, "no split of {} members attains the best key", members);
    return {0, 0};
  }

  const TreeQuery& query_;
  const Topology& topology_;
  const KeyLayout& layout_;
  const RoleStates& states_;
  const std::vector<std::vector<int32_t>>& beside_;
  const DomainId root_;
  std::vector<Table> tables_;  // by id from the root's on
  StairMerger<Key> merger_;
  bool finished_ = false;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_STATE_KNAPSACK_H_

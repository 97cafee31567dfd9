// The exact search for equal members: a knapsack over the tree of domains.
//
// f_v[k] = least key with k members below v, for k = 0 .. min(slots below v, members):
//
//     f_host[k]   = touch(host) if k > 0
//     f_domain[k] = touch(domain) if k > 0, plus the least sum of f_child[k_child] over all ways to
//                   split k among the children
//
// The key is a sum over touched vertices, so splitting is all there is to it and the result is
// exact. Tables are staircases (staircase.h). Ties: children are merged last to first and traced
// first to last, the lower child taking as many as an optimal split allows.
//
// Segments of n: down to the segment level members are counted in segments. The table of a domain
// of that level is f[0], f[n], f[2n], ...; above it everything is as before, in other units.
//
// Tables of domains are kept; merges are done again for the few domains that get members. Hosts
// directly below a domain are one child (host_group.h).
#ifndef PHALANX_CORE_PLACE_KNAPSACK_H_
#define PHALANX_CORE_PLACE_KNAPSACK_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/cluster/topology.h"
#include "core/place/count_bound.h"
#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/staircase.h"
#include "core/place/tree_query.h"
#include "phalanx/ids.h"

namespace phalanx {

template <class Key>
class TreeKnapsack {
 public:
  // Gives up above `max_cells`. `bound` drops what can not be part of the best placement; nothing
  // is dropped without one. REQUIRES: 0 < members <= slots below `root`; the query and the layout
  // outlive this.
  TreeKnapsack(const TreeQuery& query, const KeyLayout& layout, DomainId root, int64_t max_cells,
               std::optional<CountBound> bound = std::nullopt)
      : query_(query),
        topology_(query.topology),
        layout_(layout),
        root_(root),
        bound_(std::move(bound)),
        tables_(SubtreeEnd(topology_, root) - root.value()) {
    // Children have higher ids than their parents.
    for (size_t i = tables_.size(); i-- > 0 && cells() <= max_cells;) {
      const DomainId id(root.value() + static_cast<uint32_t>(i));
      if (SlotsBelow(id) == 0) continue;
      tables_[i] = MergeAll(PartsOf(id, Limit(id)), Limit(id));
      if (IsSegmentDomain(id)) InSegments(tables_[i]);
    }
    finished_ = cells() <= max_cells;
  }

  bool finished() const { return finished_; }
  // The key of the best placement; what the root itself touches is not in it.
  // REQUIRES: finished().
  Key Best() const { return KeyOf(tables_[0], UnitsOf(root_, query_.members)); }
  int64_t cells() const { return merger_.cells(); }

  // Appends the members on each host. REQUIRES: finished().
  void Trace(std::vector<HostShare>& taken) { Trace(root_, query_.members, taken); }

 private:
  using Stairs = Staircase<Key>;

  // A child of a domain: a sub-domain, or the hosts directly below that cost the same.
  struct Part {
    DomainId domain;
    std::vector<HostSlots> hosts;
    Stairs table;
  };

  int64_t SlotsBelow(DomainId id) const { return query_.slots.Sum(id); }

  // --- units: members, or segments where a domain is split segment by segment

  bool IsSegmentDomain(DomainId id) const {
    return query_.HoldsSegments(root_) && topology_.domain(id).level == query_.segment_level;
  }
  int32_t UnitsOf(DomainId id, int32_t members) const {
    return query_.HoldsSegments(id) ? members / query_.segment : members;
  }
  // Slots may be fewer than the children have (spread.h).
  int32_t Limit(DomainId id) const {
    return UnitsOf(id, static_cast<int32_t>(std::min<int64_t>(query_.members, SlotsBelow(id))));
  }

  void InSegments(Stairs& stairs) const {
    Stairs out = GroundFloor<Key>();
    for (const Step<Key>& step : stairs) {
      const int32_t segments = step.most / query_.segment;
      if (segments > out.back().most) out.push_back({segments, step.key});
    }
    stairs = std::move(out);
  }

  // --- tables

  std::vector<Part> PartsOf(DomainId id, int32_t limit) const {
    std::vector<Part> parts;
    parts.reserve(topology_.domain(id).children.size() + 2);
    for (const DomainId child : topology_.domain(id).children) {
      if (SlotsBelow(child) == 0) continue;
      parts.push_back({child, {}, DomainTable(child, query_.LevelOf(id), limit)});
    }
    Part touched, fresh;
    for (const HostSlots& host : DirectHosts(topology_, query_.slots, id)) {
      (query_.touched.Host(host.host) ? touched : fresh).hosts.push_back(host);
    }
    const Key touch = layout_.template Touch<Key>(query_.LevelOf(id), topology_.levels().size());
    AddHosts(std::move(touched), Key{}, limit, parts);
    AddHosts(std::move(fresh), touch, limit, parts);
    return parts;
  }

  static void AddHosts(Part group, const Key& touch, int32_t limit, std::vector<Part>& parts) {
    if (group.hosts.empty()) return;
    group.table = HostTable(group.hosts, touch, limit);
    parts.push_back(std::move(group));
  }

  Stairs DomainTable(DomainId child, int parent_level, int32_t limit) const {
    Stairs stairs = tables_[child.value() - root_.value()];
    CutTo(limit, stairs);
    if (query_.touched.Domain(child)) return stairs;
    const Key touch =
        layout_.template Touch<Key>(parent_level, topology_.domain(child).level.index());
    for (size_t i = 1; i < stairs.size(); ++i) stairs[i].key = stairs[i].key + touch;
    return stairs;
  }

  static Stairs HostTable(std::span<const HostSlots> hosts, const Key& touch, int32_t limit) {
    Stairs stairs = GroundFloor<Key>();
    if (touch == Key{}) {
      int64_t sum = 0;
      for (const HostSlots& host : hosts) sum += host.slots;
      stairs.push_back({static_cast<int32_t>(std::min<int64_t>(sum, limit)), touch});
      return stairs;
    }
    const std::vector<int32_t> most = MostMembers(hosts, limit);
    for (size_t used = 1; used < most.size(); ++used) {
      stairs.push_back({most[used], stairs.back().key + touch});
    }
    return stairs;
  }

  // A single child's table is its parent's: chains of domains cost next to nothing.
  Stairs MergeAll(std::vector<Part> parts, int32_t limit) {
    if (parts.empty()) return GroundFloor<Key>();
    Stairs merged = std::move(parts.back().table);
    for (size_t i = parts.size() - 1; i-- > 0;) merged = Merge(parts[i].table, merged, limit);
    return merged;
  }

  Stairs Merge(const Stairs& part, const Stairs& rest, int32_t limit) {
    if (!bound_) return merger_.Merge(part, rest, limit);
    Stairs merged = merger_.Merge(part, rest, limit, bound_->NeededLike(part.back().key));
    bound_->Prune(merged);
    return merged;
  }

  // --- from the tables to members on hosts

  void Trace(DomainId id, int32_t members, std::vector<HostShare>& taken) {
    const int32_t units = UnitsOf(id, members);
    const std::vector<Part> parts = PartsOf(id, units);
    const std::vector<int32_t> split = SplitAmong(parts, units);
    const int32_t each = members / units;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (split[i] == 0) continue;
      if (parts[i].domain.valid()) {
        Trace(parts[i].domain, split[i] * each, taken);
      } else {
        SpreadOverHosts(parts[i].hosts, split[i], taken);
      }
    }
  }

  // How many units each part takes. All merges from the last part to the first might need
  // parts x units steps at once; above kTraceSteps only every `block`th is kept and those between
  // are made again.
  std::vector<int32_t> SplitAmong(const std::vector<Part>& parts, int32_t units) {
    size_t block = parts.size();
    if (parts.size() * static_cast<size_t>(units) > kTraceSteps) {
      for (block = 1; block * block < parts.size();) ++block;
    }
    // What comes after each block, the last block first.
    std::vector<Stairs> kept = {GroundFloor<Key>()};
    Stairs merged = kept.back();
    for (size_t i = parts.size(); i-- > block;) {
      merged = Merge(parts[i].table, merged, units);
      if (i % block == 0) kept.push_back(merged);
    }
    std::vector<int32_t> split;
    for (size_t first = 0; first < parts.size(); first += block) {
      const std::span<const Part> here =
          std::span(parts).subspan(first, std::min(block, parts.size() - first));
      SplitBlock(here, kept.back(), units, split);
      kept.pop_back();
    }
    return split;
  }

  // Takes from `units` what the parts of a block get; `after` is the merge of all later parts.
  void SplitBlock(std::span<const Part> parts, const Stairs& after, int32_t& units,
                  std::vector<int32_t>& split) {
    std::vector<Stairs> rest(parts.size() + 1);
    rest.back() = after;
    for (size_t i = parts.size(); i-- > 0;) rest[i] = Merge(parts[i].table, rest[i + 1], units);
    for (size_t i = 0; i < parts.size(); ++i) {
      const Key best = KeyOf(rest[i], units);
      int32_t take = std::min(units, parts[i].table.back().most);
      while (!Attains(parts[i].table, rest[i + 1], take, units, best)) --take;
      split.push_back(take);
      units -= take;
    }
  }

  static bool Attains(const Stairs& part, const Stairs& rest, int32_t take, int32_t units,
                      const Key& best) {
    PHALANX_CHECK(take >= 0, "no split of {} units attains the best key", units);
    if (units - take > rest.back().most) return false;
    return KeyOf(part, take) + KeyOf(rest, units - take) == best;
  }

  static constexpr size_t kTraceSteps = size_t{1} << 22;

  const TreeQuery& query_;
  const Topology& topology_;
  const KeyLayout& layout_;
  const DomainId root_;
  const std::optional<CountBound> bound_;
  std::vector<Stairs> tables_;  // by id from the root's on; in segments down to the segment level
  StairMerger<Key> merger_;
  bool finished_ = false;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_KNAPSACK_H_

#include "core/place/spread_search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/place/assemble.h"
#include "core/place/dense_knapsack.h"
#include "core/place/key.h"

namespace phalanx {
namespace {

struct Before {
  bool operator()(const Vertex& a, const Vertex& b) const {
    return a.host.valid() ? a.host < b.host : a.domain < b.domain;
  }
};
// Members by unit.
using Shares = std::map<Vertex, int32_t, Before>;

class SpreadSearch {
 public:
  SpreadSearch(const SpreadQuery& query, const RequiredScope& scope)
      : query_(query),
        rule_(query.rule),
        members_(query.role.count),
        topology_(query.cluster.topology()),
        scope_(scope),
        cut_(CutTo(query.rule)) {}

  SpreadAnswer Run() {
    const std::vector<Vertex> fewest = FewestUnits();
    if (fewest.empty()) return {std::nullopt, cells_};
    EqualPlacement found = Place(fewest);
    found.cells = cells_;
    return {std::move(found), cells_};
  }

 private:
  EqualPlacement Place(const std::vector<Vertex>& fewest) {
    EqualPlacement packed = *PlaceIn(cut_);
    const Shares shares = SharesOf(packed.taken);
    const bool few = std::ssize(shares) * int64_t{rule_.at_least} <= members_;
    // The scope may lie inside of it.
    if (shares.size() == 1) return packed;
    if (rule_.evenly) {
      if (few) return Evenly(packed, shares);
      return Divide(Level(fewest), ProvenThrough::kFeasibility);
    }
    const bool enough = std::all_of(shares.begin(), shares.end(), [&](const auto& share) {
      return share.second >= rule_.at_least;
    });
    if (enough) return packed;
    if (auto exact = AtLeast()) return std::move(*exact);
    return Divide(Level(few ? UnitsOf(shares) : fewest), ProvenThrough::kFeasibility);
  }

  SlotTree CutTo(const SpreadRule& rule) const {
    return CutToSpread(query_.cluster, query_.request, query_.role.shape, rule, query_.free);
  }

  // Of the first domain of the scope where that is possible, the largest first.
  std::vector<Vertex> FewestUnits() const {
    for (const Vertex& domain : scope_.Domains(cut_, members_)) {
      std::vector<Vertex> units = UnitsBelow(topology_, domain, rule_.level, cut_);
      if (MostInUnits(units, cut_, rule_.at_least, members_) < members_) continue;
      int64_t left = members_;
      size_t used = 0;
      while (left > 0) left -= units[used++].Slots(cut_);
      units.resize(used);
      return units;
    }
    return {};
  }

  // What is touched already makes a wider placement the better one at times.
  std::optional<EqualPlacement> PlaceIn(const SlotTree& slots) {
    const std::vector<Vertex> candidates = query_.touched.Any()
                                               ? scope_.Domains(slots, members_)
                                               : FinestCandidates(slots, scope_, members_);
    if (candidates.empty()) return std::nullopt;
    const TreeQuery tree{topology_, slots, members_, query_.touched};
    EqualPlacement found = PlaceEqual(tree, candidates, query_.request.max_cells);
    cells_ += found.cells;
    return found;
  }

  // --- at least

  // nullopt: the table would be too large.
  std::optional<EqualPlacement> AtLeast() {
    left_ = query_.request.max_cells / kDenseShare;
    std::vector<LevelId> levels = scope_.FinestFirst();
    if (query_.touched.Any()) levels = {levels.back()};
    for (const LevelId level : levels) {
      // All members in one unit would have been enough for it.
      if (level.valid() && level >= rule_.level) continue;
      std::vector<Vertex> candidates = scope_.At(level, cut_, members_);
      std::erase_if(candidates, [&](const Vertex& candidate) {
        const auto units = UnitsBelow(topology_, candidate, rule_.level, cut_);
        return MostInUnits(units, cut_, rule_.at_least, members_) < members_;
      });
      if (!candidates.empty()) return Dense(candidates);
    }
    return std::nullopt;
  }

  std::optional<EqualPlacement> Dense(const std::vector<Vertex>& candidates) {
    const TreeQuery tree{topology_, cut_, members_, query_.touched};
    std::vector<int64_t> most(topology_.levels().size() + 1, 0);
    for (const Vertex& candidate : candidates) {
      const std::vector<int64_t> here = Census(tree, candidate.domain).Most(/*with_hosts=*/true);
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], here[i]);
    }
    const KeyLayout layout(most);
    if (layout.bits() <= kKeyBits<int64_t>) return DenseWith<int64_t>(tree, layout, candidates);
    if (layout.bits() <= kKeyBits<Int128>) return DenseWith<Int128>(tree, layout, candidates);
    return DenseWith<Key256>(tree, layout, candidates);
  }

  template <class Key>
  std::optional<EqualPlacement> DenseWith(const TreeQuery& tree, const KeyLayout& layout,
                                          const std::vector<Vertex>& candidates) {
    std::unique_ptr<DenseKnapsack<Key>> best;
    for (const Vertex& candidate : candidates) {
      auto next = std::make_unique<DenseKnapsack<Key>>(
          tree, layout, LeastMembers{rule_.level, rule_.at_least}, candidate.domain, left_);
      left_ -= next->cells();
      cells_ += next->cells();
      if (!next->finished()) return std::nullopt;
      if (next->Fits() && (!best || next->Best() < best->Best())) best = std::move(next);
    }
    if (!best) return std::nullopt;
    EqualPlacement out;
    const int64_t before = best->cells();
    best->Trace(out.taken);
    cells_ += best->cells() - before;
    std::sort(out.taken.begin(), out.taken.end());
    return out;
  }

  // --- shares

  Vertex UnitOf(HostId host) const {
    if (rule_.level == topology_.host_level()) return {DomainId::None(), host};
    return {topology_.DomainAt(host, rule_.level), HostId::None()};
  }

  Shares SharesOf(const std::vector<HostShare>& taken) const {
    Shares shares;
    for (const HostShare& share : taken) shares[UnitOf(share.host)] += share.members;
    return shares;
  }

  static std::vector<Vertex> UnitsOf(const Shares& shares) {
    std::vector<Vertex> units;
    for (const auto& [unit, members] : shares) units.push_back(unit);
    return units;
  }

  // As equal as the slots allow; what can not be divided goes to the first ones.
  Shares Level(std::vector<Vertex> units) const {
    std::sort(units.begin(), units.end(), [&](const Vertex& a, const Vertex& b) {
      const int64_t left = a.Slots(cut_), right = b.Slots(cut_);
      return left != right ? left < right : Before()(b, a);
    });
    Shares shares;
    int64_t left = members_;
    for (size_t i = 0; i < units.size(); ++i) {
      const int64_t equal = left / static_cast<int64_t>(units.size() - i);
      const int64_t here = std::min(units[i].Slots(cut_), equal);
      shares[units[i]] = static_cast<int32_t>(here);
      left -= here;
    }
    return shares;
  }

  // Each share is placed by itself.
  EqualPlacement Divide(const Shares& shares, ProvenThrough proven) {
    EqualPlacement out{{}, proven, 0};
    for (const auto& [unit, members] : shares) {
      if (members == 0) continue;
      const TreeQuery tree{topology_, cut_, members, query_.touched};
      const EqualPlacement part = PlaceEqual(tree, std::vector{unit}, query_.request.max_cells);
      cells_ += part.cells;
      out.proven = std::min(out.proven, part.proven);
      out.taken.insert(out.taken.end(), part.taken.begin(), part.taken.end());
    }
    std::sort(out.taken.begin(), out.taken.end());
    return out;
  }

  // --- evenly

  // Domains touched at the levels down to the rule's.
  std::vector<int32_t> CountsOf(const std::vector<HostShare>& taken) const {
    std::vector<HostId> hosts;
    for (const HostShare& share : taken) hosts.push_back(share.host);
    std::vector<int32_t> counts = TouchedPerLevel(topology_, hosts);
    counts.resize(rule_.level.index() + 1);
    return counts;
  }

  EqualPlacement Evenly(const EqualPlacement& packed, Shares shares) {
    const std::vector<int32_t> counts = CountsOf(packed.taken);
    int32_t high = 0;
    for (const auto& [unit, members] : shares) high = std::max(high, members);
    const auto units = static_cast<int32_t>(shares.size());
    int32_t low = (members_ + units - 1) / units;
    while (low < high) {
      SpreadRule lower = rule_;
      lower.at_most = low + (high - low) / 2;
      const auto found = PlaceIn(CutTo(lower));
      if (found && CountsOf(found->taken) == counts) {
        shares = SharesOf(found->taken);
        high = lower.at_most;
      } else {
        low = lower.at_most + 1;
      }
    }
    // Hosts, and levels finer than the rule's, are looked at unit by unit.
    const bool finest = rule_.level.value() + 1 >= topology_.host_level().value();
    const ProvenThrough most = finest ? ProvenThrough::kCounts : ProvenThrough::kFeasibility;
    return Divide(Level(UnitsOf(shares)), std::min(most, packed.proven));
  }

  // The tables are kept in memory until the trace ends.
  static constexpr int64_t kDenseShare = 4;

  const SpreadQuery& query_;
  const SpreadRule& rule_;
  const int32_t members_;
  const Topology& topology_;
  const RequiredScope& scope_;
  const SlotTree cut_;
  int64_t left_ = 0;
  int64_t cells_ = 0;
};

}  // namespace

SpreadAnswer SearchSpread(const SpreadQuery& query, const RequiredScope& scope) {
  return SpreadSearch(query, scope).Run();
}

}  // namespace phalanx

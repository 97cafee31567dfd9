#include "core/place/equal.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/place/count_bound.h"
#include "core/place/fragment_knapsack.h"
#include "core/place/greedy.h"
#include "core/place/key.h"
#include "core/place/knapsack.h"

namespace phalanx {
namespace {

// What one stage found.
struct StageResult {
  std::vector<Vertex> attaining;  // candidates with the least key
  std::vector<int64_t> counts;    // of the least key by level; -1: the level was not counted
  std::vector<HostShare> taken;   // below the first of them, if asked for
};

class EqualSearch {
 public:
  EqualSearch(const TreeQuery& query, std::span<const Vertex> candidates, int64_t max_cells,
              const VertexCosts* costs, const LinkedCosts* linked)
      : query_(query),
        candidates_(candidates.begin(), candidates.end()),
        max_cells_(max_cells),
        costs_(costs),
        linked_(linked),
        fewest_(query.topology.levels().size() + 1, -1) {
    for (const Vertex& candidate : candidates_) censuses_.emplace_back(query, candidate.domain);
  }

  EqualPlacement Run() {
    const bool hosts_matter =
        query_.touched.Any() ||
        !std::all_of(censuses_.begin(), censuses_.end(),
                     [](const Census& census) { return census.OneMemberPerHost(); });
    if (Prunes()) KeepBySums();
    const auto counts = Stage({.with_hosts = false, .trace = !hosts_matter});
    if (!counts) return Greedily();
    if (!hosts_matter) return LeastFragments(*counts, /*with_hosts=*/false);
    Keep(counts->attaining);
    fewest_ = counts->counts;
    const auto all = Stage({.with_hosts = true, .trace = true});
    if (all) return LeastFragments(*all, /*with_hosts=*/true);
    // The first candidate alone costs no more than all did.
    Keep({candidates_.front()});
    return Answer(Stage({.with_hosts = false, .trace = true})->taken, ProvenThrough::kCounts);
  }

  // The best placement that no limit forbids, whatever it touches; nothing is taken if there is
  // none. nullopt: the budget was spent.
  std::optional<EqualPlacement> RunWithinLimits() {
    auto taken = Cheapest(/*with_hosts=*/true, *linked_, /*bounded=*/false, max_cells_);
    if (!taken) return std::nullopt;
    return Answer(*std::move(taken), ProvenThrough::kAll);
  }

  int64_t cells() const { return cells_; }

 private:
  struct StageOptions {
    bool with_hosts;
    bool trace;
  };

  // Whether m* rules anything out: what is touched already is free, and segments have other units.
  bool Prunes() const {
    return !query_.touched.Any() && !(query_.segment > 1 && query_.segment_level.valid());
  }

  // Levels that are not counted have one domain in every placement, so at the coarsest that is
  // counted each candidate attains what the largest domains need.
  void KeepBySums() {
    const std::vector<int64_t> most = Most(/*with_hosts=*/false);
    const auto counted = std::find_if(most.begin(), most.end(), [](int64_t n) { return n > 0; });
    if (counted == most.end()) return;
    const auto level = static_cast<size_t>(counted - most.begin());
    std::vector<int64_t> needed;
    for (const Census& census : censuses_) needed.push_back(census.Fewest(level));
    fewest_[level] = *std::min_element(needed.begin(), needed.end());
    std::vector<Vertex> attaining;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (needed[i] == fewest_[level]) attaining.push_back(candidates_[i]);
    }
    Keep(attaining);
  }

  std::vector<int64_t> Most(bool with_hosts) const {
    std::vector<int64_t> most(query_.topology.levels().size() + 1, 0);
    for (const Census& census : censuses_) {
      const std::vector<int64_t> here = census.Most(with_hosts);
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], here[i]);
    }
    return most;
  }

  void Keep(const std::vector<Vertex>& vertices) {
    std::vector<Census> censuses;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const bool kept = std::any_of(vertices.begin(), vertices.end(), [&](const Vertex& vertex) {
        return vertex.domain == candidates_[i].domain;
      });
      if (kept) censuses.push_back(std::move(censuses_[i]));
    }
    candidates_ = vertices;
    censuses_ = std::move(censuses);
  }

  // nullopt: the budget was spent.
  std::optional<StageResult> Stage(const StageOptions& options) {
    const KeyLayout layout(Most(options.with_hosts));
    if (layout.bits() <= kKeyBits<int64_t>) return StageWith<int64_t>(layout, options);
    if (layout.bits() <= kKeyBits<Int128>) return StageWith<Int128>(layout, options);
    return StageWith<Key256>(layout, options);
  }

  template <class Key>
  std::optional<StageResult> StageWith(const KeyLayout& layout, const StageOptions& options) {
    StageResult out;
    std::unique_ptr<TreeKnapsack<Key>> best;
    int64_t left = max_cells_;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      auto next = std::make_unique<TreeKnapsack<Key>>(query_, layout, candidates_[i].domain, left,
                                                      BoundFor(i, layout));
      cells_ += next->cells();
      left -= next->cells();
      if (!next->finished()) return std::nullopt;
      if (best && best->Best() < next->Best()) continue;
      if (best && best->Best() == next->Best()) {
        out.attaining.push_back(candidates_[i]);
        continue;
      }
      out.attaining = {candidates_[i]};
      best = std::move(next);
    }
    for (size_t level = 0; level <= query_.topology.levels().size(); ++level) {
      out.counts.push_back(layout.Counts(level) ? layout.field(level).Of(best->Best()) : -1);
    }
    if (!options.trace) return out;
    const int64_t before = best->cells();
    best->Trace(out.taken);
    cells_ += best->cells() - before;
    std::sort(out.taken.begin(), out.taken.end());
    return out;
  }

  // Of the placements that touch as little as the one that was found; the one itself where the
  // budget is spent.
  EqualPlacement LeastFragments(const StageResult& found, bool with_hosts) {
    if (costs_ == nullptr && linked_ == nullptr) return Answer(found.taken, ProvenThrough::kAll);
    Keep(found.attaining);
    fewest_ = found.counts;
    auto taken = linked_ != nullptr ? Cheapest(with_hosts, *linked_, /*bounded=*/true, max_cells_)
                                    : Cheapest(with_hosts, *costs_, /*bounded=*/true,
                                               max_cells_ / kFragmentsShare);
    if (taken) return Answer(*std::move(taken), ProvenThrough::kAll);
    return Answer(found.taken,
                  linked_ != nullptr ? ProvenThrough::kCounts : ProvenThrough::kOverrun);
  }

  // The members on hosts of the best placement by key, then by costs; none if there is no such
  // placement. nullopt: the budget was spent. `bounded`: all candidates attain the least key, and
  // nothing else is looked at.
  template <class Costs>
  std::optional<std::vector<HostShare>> Cheapest(bool with_hosts, const Costs& costs, bool bounded,
                                                 int64_t max_cells) {
    const KeyLayout layout(Most(with_hosts));
    if (layout.bits() <= kKeyBits<int64_t>) {
      return CheapestBy<int64_t>(layout, costs, bounded, max_cells);
    }
    if (layout.bits() <= kKeyBits<Int128>) {
      return CheapestBy<Int128>(layout, costs, bounded, max_cells);
    }
    return CheapestBy<Key256>(layout, costs, bounded, max_cells);
  }

  template <class Key, class Costs>
  std::optional<std::vector<HostShare>> CheapestBy(const KeyLayout& layout, const Costs& costs,
                                                   bool bounded, int64_t left) {
    using Knapsack = FragmentKnapsack<Key, Costs>;
    std::unique_ptr<Knapsack> best;
    std::pair<Key, typename Costs::Cost> least;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const DomainId domain = candidates_[i].domain;
      const std::optional<typename Costs::Cost> above = costs.Above(domain, query_.members);
      if (!above) continue;
      std::optional<CountBound> bound;
      if (bounded) bound.emplace(censuses_[i], layout, fewest_, query_.members);
      auto next = std::make_unique<Knapsack>(query_, layout, domain, left, std::move(bound), costs);
      cells_ += next->cells();
      left -= next->cells();
      if (!next->finished()) return std::nullopt;
      if (!next->Fits()) continue;
      const std::pair found(next->BestKey(), next->Best() + *above);
      if (best && !(found < least)) continue;
      least = found;
      best = std::move(next);
    }
    std::vector<HostShare> taken;
    if (!best) return taken;
    const int64_t before = best->cells();
    best->Trace(taken);
    cells_ += best->cells() - before;
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  std::optional<CountBound> BoundFor(size_t candidate, const KeyLayout& layout) const {
    if (!Prunes()) return std::nullopt;
    return CountBound(censuses_[candidate], layout, fewest_, query_.members);
  }

  EqualPlacement Greedily() {
    const auto smallest = std::min_element(candidates_.begin(), candidates_.end(),
                                           [&](const Vertex& a, const Vertex& b) {
                                             return a.Slots(query_.slots) < b.Slots(query_.slots);
                                           });
    EqualPlacement out{{}, ProvenThrough::kFeasibility, cells_ + query_.members};
    PlaceGreedily(query_.topology, query_.slots, smallest->domain, query_.members, out.taken);
    std::sort(out.taken.begin(), out.taken.end());
    return out;
  }

  EqualPlacement Answer(std::vector<HostShare> taken, ProvenThrough proven) const {
    return {std::move(taken), proven, cells_};
  }

  // Fragments are worth less time than what is touched, and their cells cost more.
  static constexpr int64_t kFragmentsShare = 64;

  const TreeQuery& query_;
  std::vector<Vertex> candidates_;
  std::vector<Census> censuses_;  // of the candidates
  const int64_t max_cells_;
  const VertexCosts* const costs_;   // null: fragmentation does not count
  const LinkedCosts* const linked_;  // not null: links count, and this stands for `costs_`
  std::vector<int64_t> fewest_;      // m* by level, hosts last; -1: not known
  int64_t cells_ = 0;
};

// A host that takes whole segments is a host with fewer, larger slots.
EqualPlacement PlaceSegmentsOnHosts(const TreeQuery& query, std::span<const Vertex> candidates,
                                    int64_t max_cells) {
  std::vector<int32_t> segments = query.slots.values();
  for (int32_t& here : segments) here /= query.segment;
  const SlotTree slots(query.topology, std::move(segments));
  const TreeQuery large{query.topology, slots, query.members / query.segment, query.touched};
  EqualPlacement placed = PlaceEqual(large, candidates, max_cells);
  for (HostShare& share : placed.taken) share.members *= query.segment;
  return placed;
}

// Of hosts that take all members; one costs as much as another, but for those that are touched
// already.
HostId HostFor(const TreeQuery& query, std::span<const Vertex> candidates, const VertexCosts* costs,
               const LinkedCosts* linked) {
  const auto used = std::find_if(candidates.begin(), candidates.end(), [&](const Vertex& vertex) {
    return query.touched.Host(vertex.host);
  });
  if (used != candidates.end()) return used->host;
  if (linked != nullptr) return linked->CheapestHost(candidates, query.members);
  if (costs != nullptr) return costs->CheapestHost(candidates, query.members);
  return candidates.front().host;
}

}  // namespace

EqualPlacement PlaceEqual(const TreeQuery& query, std::span<const Vertex> candidates,
                          int64_t max_cells, const VertexCosts* costs, const LinkedCosts* linked) {
  PHALANX_CHECK(!candidates.empty() && query.members > 0, "{} candidates for {} members",
                candidates.size(), query.members);
  if (candidates.front().host.valid()) {
    return {{{HostFor(query, candidates, costs, linked), query.members}}, ProvenThrough::kAll, 0};
  }
  const bool on_hosts = query.segment > 1 && query.segment_level == query.topology.host_level();
  if (on_hosts) return PlaceSegmentsOnHosts(query, candidates, max_cells);
  return EqualSearch(query, candidates, max_cells, costs, linked).Run();
}

LimitedPlacement PlaceWithinLimits(const TreeQuery& query, const RequiredScope& scope,
                                   int64_t max_cells, const LinkedCosts& costs) {
  LimitedPlacement out;
  for (const LevelId level : scope.FinestFirst()) {
    const std::vector<Vertex> candidates = scope.At(level, query.slots, query.members);
    if (candidates.empty()) continue;
    if (candidates.front().host.valid()) {
      const HostId host = costs.CheapestHost(candidates, query.members);
      if (!host.valid()) continue;
      out.placed = EqualPlacement{{{host, query.members}}, ProvenThrough::kAll, out.cells};
      return out;
    }
    EqualSearch search(query, candidates, max_cells - out.cells, nullptr, &costs);
    auto found = search.RunWithinLimits();
    out.cells += search.cells();
    out.finished = found.has_value();
    if (!found) return out;
    if (found->taken.empty()) continue;
    out.placed = std::move(found);
    return out;
  }
  return out;
}

std::vector<Vertex> FinestCandidates(const SlotTree& slots, const RequiredScope& scope,
                                     int32_t members) {
  // Most refusals end here.
  if (slots.Sum() < members || scope.Domains(slots, members).empty()) return {};
  for (const LevelId level : scope.FinestFirst()) {
    std::vector<Vertex> candidates = scope.At(level, slots, members);
    if (!candidates.empty()) return candidates;
  }
  return {};
}

}  // namespace phalanx

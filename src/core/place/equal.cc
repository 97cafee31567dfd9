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
              const VertexCosts* costs)
      : query_(query),
        candidates_(candidates.begin(), candidates.end()),
        max_cells_(max_cells),
        costs_(costs),
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
    if (costs_ == nullptr) return Answer(found.taken, ProvenThrough::kAll);
    Keep(found.attaining);
    fewest_ = found.counts;
    const KeyLayout layout(Most(with_hosts));
    std::optional<std::vector<HostShare>> taken;
    if (layout.bits() <= kKeyBits<int64_t>) {
      taken = Fragments<int64_t>(layout);
    } else if (layout.bits() <= kKeyBits<Int128>) {
      taken = Fragments<Int128>(layout);
    } else {
      taken = Fragments<Key256>(layout);
    }
    if (taken) return Answer(std::move(*taken), ProvenThrough::kAll);
    return Answer(found.taken, ProvenThrough::kOverrun);
  }

  // All candidates attain the least key. nullopt: the budget was spent.
  template <class Key>
  std::optional<std::vector<HostShare>> Fragments(const KeyLayout& layout) {
    std::unique_ptr<FragmentKnapsack<Key>> best;
    FragmentCost least;
    int64_t left = max_cells_ / kFragmentsShare;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const DomainId domain = candidates_[i].domain;
      auto next = std::make_unique<FragmentKnapsack<Key>>(
          query_, layout, domain, left, CountBound(censuses_[i], layout, fewest_, query_.members),
          *costs_);
      cells_ += next->cells();
      left -= next->cells();
      if (!next->finished()) return std::nullopt;
      const FragmentCost cost = next->Best() + costs_->Above(domain, query_.members);
      if (best && cost >= least) continue;
      least = cost;
      best = std::move(next);
    }
    std::vector<HostShare> taken;
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
  const VertexCosts* const costs_;  // null: fragmentation does not count
  std::vector<int64_t> fewest_;     // m* by level, hosts last; -1: not known
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
HostId HostFor(const TreeQuery& query, std::span<const Vertex> candidates,
               const VertexCosts* costs) {
  const auto used = std::find_if(candidates.begin(), candidates.end(), [&](const Vertex& vertex) {
    return query.touched.Host(vertex.host);
  });
  if (used != candidates.end()) return used->host;
  if (costs != nullptr) return costs->CheapestHost(candidates, query.members);
  return candidates.front().host;
}

}  // namespace

EqualPlacement PlaceEqual(const TreeQuery& query, std::span<const Vertex> candidates,
                          int64_t max_cells, const VertexCosts* costs) {
  PHALANX_CHECK(!candidates.empty() && query.members > 0, "{} candidates for {} members",
                candidates.size(), query.members);
  if (candidates.front().host.valid()) {
    return {{{HostFor(query, candidates, costs), query.members}}, ProvenThrough::kAll, 0};
  }
  const bool on_hosts = query.segment > 1 && query.segment_level == query.topology.host_level();
  if (on_hosts) return PlaceSegmentsOnHosts(query, candidates, max_cells);
  return EqualSearch(query, candidates, max_cells, costs).Run();
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

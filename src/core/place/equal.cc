#include "core/place/equal.h"

#include <algorithm>
#include <memory>

#include "core/base/check.h"
#include "core/place/greedy.h"
#include "core/place/key.h"

namespace phalanx {
namespace {

struct Query {
  const Topology& topology;
  const SlotTree& slots;
  std::span<const Vertex> candidates;
  int32_t members;
  const TouchedBefore& touched;
};

template <class Key>
void SolveExactly(const Query& query, const KeyLayout& layout, EqualPlacement& out) {
  std::unique_ptr<TreeKnapsack<Key>> best;
  for (const Vertex& candidate : query.candidates) {
    auto next = std::make_unique<TreeKnapsack<Key>>(query.topology, query.slots, layout,
                                                    query.touched, candidate.domain, query.members);
    out.cells += next->cells();
    if (!best || next->Best() < best->Best()) best = std::move(next);
  }
  const int64_t before = best->cells();
  best->Trace(out.taken);
  out.cells += best->cells() - before;
}

int64_t HostsWithSlots(const SlotTree& slots) {
  int64_t count = 0;
  for (uint32_t i = 0; i < slots.hosts(); ++i) count += slots.At(HostId(i)) > 0;
  return count;
}

// Fields of the candidates' own level and of coarser ones stay zero.
int BitsBelow(const Topology& topology, const KeyLayout& layout, DomainId candidate) {
  const int per_level = layout.bits() / static_cast<int>(topology.levels().size() + 1);
  const LevelId level = topology.domain(candidate).level;
  const uint32_t coarser = level.valid() ? level.value() + 1 : 0;
  return layout.bits() - per_level * static_cast<int>(coarser);
}

void SolveWithNarrowestKey(const Query& query, EqualPlacement& out) {
  const KeyLayout layout(query.topology.levels().size(),
                         std::min<int64_t>(query.members, HostsWithSlots(query.slots)));
  const int bits = BitsBelow(query.topology, layout, query.candidates.front().domain);
  if (bits <= 63) {
    SolveExactly<int64_t>(query, layout, out);
  } else if (bits <= 127) {
    SolveExactly<Int128>(query, layout, out);
  } else {
    SolveExactly<Key256>(query, layout, out);
  }
}

void SolveGreedily(const Query& query, EqualPlacement& out) {
  const auto smallest = std::min_element(
      query.candidates.begin(), query.candidates.end(), [&](const Vertex& a, const Vertex& b) {
        return a.Slots(query.topology, query.slots) < b.Slots(query.topology, query.slots);
      });
  PlaceGreedily(query.topology, query.slots, smallest->domain, query.members, out.taken);
  out.proven = ProvenThrough::kFeasibility;
  out.cells += query.members;
}

}  // namespace

EqualPlacement PlaceEqual(const Topology& topology, const SlotTree& slots,
                          std::span<const Vertex> candidates, int32_t members, int64_t max_cells,
                          const TouchedBefore& touched) {
  PHALANX_CHECK(!candidates.empty() && members > 0, "{} candidates for {} members",
                candidates.size(), members);
  EqualPlacement out;
  out.taken.assign(slots.hosts(), 0);
  const Vertex& first = candidates.front();
  if (first.host.valid()) {
    // One host is as good as another, but for those that are touched already.
    const auto used = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const Vertex& vertex) { return touched.Host(vertex.host); });
    out.taken[(used == candidates.end() ? first : *used).host.index()] = members;
    return out;
  }
  int64_t predicted = 0;
  for (const Vertex& candidate : candidates) {
    predicted += PredictCells(topology, slots, candidate.domain, members);
  }
  const Query query{topology, slots, candidates, members, touched};
  if (predicted <= max_cells) {
    SolveWithNarrowestKey(query, out);
  } else {
    SolveGreedily(query, out);
  }
  return out;
}

std::vector<Vertex> FinestCandidates(const Topology& topology, const SlotTree& slots,
                                     const RequiredScope& scope, int32_t members) {
  if (slots.Total() < members) return {};
  for (const LevelId level : scope.FinestFirst()) {
    std::vector<Vertex> candidates = scope.At(level);
    std::erase_if(candidates,
                  [&](const Vertex& vertex) { return vertex.Slots(topology, slots) < members; });
    if (!candidates.empty()) return candidates;
  }
  return {};
}

}  // namespace phalanx

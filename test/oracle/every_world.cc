#include "oracle/every_world.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace phalanx::oracle {
namespace {

// Appends the ascending lists of `size` numbers 0 .. kinds - 1 that begin with `so_far`.
void Multisets(int32_t kinds, size_t size, std::vector<int32_t> so_far,
               std::vector<std::vector<int32_t>>& out) {
  if (so_far.size() == size) {
    out.push_back(std::move(so_far));
    return;
  }
  for (int32_t next = so_far.empty() ? 0 : so_far.back(); next < kinds; ++next) {
    std::vector<int32_t> longer = so_far;
    longer.push_back(next);
    Multisets(kinds, size, std::move(longer), out);
  }
}

std::vector<std::vector<int32_t>> MultisetsUpTo(int32_t kinds, size_t size) {
  std::vector<std::vector<int32_t>> out;
  for (size_t i = 1; i <= size; ++i) Multisets(kinds, i, {}, out);
  return out;
}

using Permutation = std::vector<size_t>;

std::vector<Permutation> Permutations(size_t size) {
  Permutation next(size);
  std::iota(next.begin(), next.end(), size_t{0});
  std::vector<Permutation> out;
  do {
    out.push_back(next);
  } while (std::next_permutation(next.begin(), next.end()));
  return out;
}

size_t Cycles(const Permutation& permutation) {
  std::vector<bool> seen(permutation.size(), false);
  size_t cycles = 0;
  for (size_t first = 0; first < seen.size(); ++first) {
    if (!seen[first]) ++cycles;
    for (size_t at = first; !seen[at]; at = permutation[at]) seen[at] = true;
  }
  return cycles;
}

int64_t Power(int64_t base, size_t exponent) {
  int64_t out = 1;
  for (size_t i = 0; i < exponent; ++i) out *= base;
  return out;
}

// Calls visit(permutation of the cells) for each that moves racks as a whole and hosts inside them.
template <class Visit>
void ForEachSymmetry(const WorldBounds& bounds, const Visit& visit) {
  const std::vector<Permutation> inside = Permutations(bounds.hosts);
  for (const Permutation& racks : Permutations(bounds.racks)) {
    for (int64_t code = 0; code < Power(std::ssize(inside), bounds.racks); ++code) {
      Permutation cells;
      int64_t rest = code;
      for (size_t rack = 0; rack < bounds.racks; ++rack, rest /= std::ssize(inside)) {
        for (const size_t host : inside[static_cast<size_t>(rest % std::ssize(inside))]) {
          cells.push_back(racks[rack] * bounds.hosts + host);
        }
      }
      visit(cells);
    }
  }
}

}  // namespace

std::vector<Racks> EveryWorld(const WorldBounds& bounds) {
  const std::vector<Rack> kinds = MultisetsUpTo(bounds.devices + 1, bounds.hosts);
  std::vector<Racks> out;
  for (const auto& chosen : MultisetsUpTo(static_cast<int32_t>(kinds.size()), bounds.racks)) {
    out.emplace_back();
    for (const int32_t kind : chosen) out.back().push_back(kinds[static_cast<size_t>(kind)]);
  }
  return out;
}

int64_t CountWorlds(const WorldBounds& bounds) {
  int64_t symmetries = 0;
  int64_t unchanged = 0;
  ForEachSymmetry(bounds, [&](const Permutation& cells) {
    ++symmetries;
    unchanged += Power(bounds.devices + 2, Cycles(cells));
  });
  return unchanged / symmetries - 1;
}

}  // namespace phalanx::oracle

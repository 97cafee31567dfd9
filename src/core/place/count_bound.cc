#include "core/place/count_bound.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace phalanx {
namespace {

// [m] = what `fewest` - m of the largest domains leave over, for m = 1 .. fewest; [0] = 0, since a
// state that touches none of the level lies below one of its domains.
std::vector<int32_t> ByTouched(std::vector<int64_t> slots, int64_t fewest, int32_t members) {
  const auto most = std::min<int64_t>(fewest, std::ssize(slots));
  std::partial_sort(slots.begin(), slots.begin() + most, slots.end(), std::greater<>());
  std::vector<int32_t> needed(static_cast<size_t>(most) + 1, 0);
  int64_t left = members;
  for (int64_t others = 0; others < most && left > 0; ++others) {
    needed[static_cast<size_t>(most - others)] = static_cast<int32_t>(left);
    left -= slots[static_cast<size_t>(others)];
  }
  return needed;
}

}  // namespace

CountBound::CountBound(const Census& census, const KeyLayout& layout,
                       const std::vector<int64_t>& fewest, int32_t members) {
  for (size_t i = 0; i < fewest.size(); ++i) {
    if (!layout.Counts(i)) continue;
    Level level{layout.field(i), {}};
    if (fewest[i] >= 0) level.needed = ByTouched(census.slots()[i], fewest[i], members);
    levels_.push_back(std::move(level));
  }
}

}  // namespace phalanx

#include "core/place/count_bound.h"

#include <functional>

namespace phalanx {

CountBound::CountBound(const Census& census, const std::vector<int64_t>& fewest, int32_t members)
    : members_(members) {
  for (size_t level = 0; level < fewest.size(); ++level) {
    if (fewest[level] < 0) continue;
    std::vector<int64_t> slots = census.slots()[level];
    const auto used = std::min<int64_t>(fewest[level], std::ssize(slots));
    std::partial_sort(slots.begin(), slots.begin() + used, slots.end(), std::greater<>());
    std::vector<int64_t> largest = {0};
    for (int64_t i = 0; i < used; ++i) largest.push_back(largest.back() + slots[i]);
    levels_.push_back({level, std::move(largest)});
  }
}

}  // namespace phalanx

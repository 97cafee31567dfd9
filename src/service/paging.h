// Pages of lists: sizes are bounded, and a page continues after the last item of the one before,
// wherever that is in a newer copy of the list.
#ifndef PHALANX_SERVICE_PAGING_H_
#define PHALANX_SERVICE_PAGING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "phalanx/objects.h"
#include "phalanx/view.h"

namespace phalanx::service {

inline constexpr int32_t kUsualPage = 500;
inline constexpr int32_t kLargestPage = 2'000;

// How many items the request asks for. INVALID_ARGUMENT with what was expected.
absl::StatusOr<size_t> PageSize(int32_t asked);

template <class Item>
struct Page {
  std::vector<const Item*> items;
  int32_t total = 0;  // that match, on all pages
  bool more = false;
};

// The first `size` of those that match and that come after the token. O(all).
template <class Item, class Match, class After>
Page<Item> TakePage(const std::vector<Item>& all, size_t size, Match matches, After after) {
  Page<Item> page;
  for (const Item& item : all) {
    if (!matches(item)) continue;
    ++page.total;
    if (!after(item)) continue;
    if (page.items.size() < size) {
      page.items.push_back(&item);
    } else {
      page.more = true;
    }
  }
  return page;
}

// Where a gang stands in the list: repairs, then others that wait, then the rest; as the engine
// orders them, so that a gang whose place did not change is on exactly one page.
struct GangPlace {
  int64_t part = 0;
  int64_t before = 0;  // priority, negated
  int64_t since = 0;   // milliseconds
  GangKey key;

  friend auto operator<=>(const GangPlace&, const GangPlace&) = default;
};
GangPlace PlaceOf(const GangView& gang);
// "PART:BEFORE:SINCE:NAMESPACE/SOURCE/NAME"
std::string ToToken(const GangPlace& place);
// INVALID_ARGUMENT if it is no such token.
absl::StatusOr<GangPlace> ReadGangToken(const std::string& token);

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_PAGING_H_

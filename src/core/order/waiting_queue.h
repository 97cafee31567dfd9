// The gangs that wait for a place, in their strict total order.
//
// Order: gangs that repair themselves first (bound members wait for the missing one), then by
// priority (higher first), then by the time since when they wait, then by key. No two keys are
// equal, so the order is total; it does not depend on ids or on the order of arrival.
//
// The tree counts its nodes: a gang's position costs O(log n), which a std::map can't do.
//
// Thread rule: one writer.
#ifndef PHALANX_CORE_ORDER_WAITING_QUEUE_H_
#define PHALANX_CORE_ORDER_WAITING_QUEUE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <functional>

#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"

namespace phalanx {

struct OrderKey {
  bool repair = false;
  int32_t priority = 0;
  Time since;
  GangKey gang;

  friend std::strong_ordering operator<=>(const OrderKey& a, const OrderKey& b);
  friend bool operator==(const OrderKey& a, const OrderKey& b) = default;
};

class WaitingQueue {
 public:
  using Entries = __gnu_pbds::tree<OrderKey, GangId, std::less<OrderKey>, __gnu_pbds::rb_tree_tag,
                                   __gnu_pbds::tree_order_statistics_node_update>;

  // REQUIRES: no entry with this key.
  void Insert(const OrderKey& key, GangId gang);
  // No-op if there is no such entry.
  void Erase(const OrderKey& key);

  // 1 + the gangs that are ordered before `key`.
  int32_t Position(const OrderKey& key) const;

  const Entries& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  Entries entries_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ORDER_WAITING_QUEUE_H_

#include "core/order/waiting_queue.h"

namespace phalanx {

std::strong_ordering operator<=>(const OrderKey& a, const OrderKey& b) {
  if (a.repair != b.repair) return b.repair <=> a.repair;
  if (a.priority != b.priority) return b.priority <=> a.priority;
  if (a.since != b.since) return a.since <=> b.since;
  return a.gang <=> b.gang;
}

void WaitingQueue::Insert(const OrderKey& key, GangId gang) { entries_.insert({key, gang}); }

void WaitingQueue::Erase(const OrderKey& key) { entries_.erase(key); }

int32_t WaitingQueue::Position(const OrderKey& key) const {
  return static_cast<int32_t>(entries_.order_of_key(key)) + 1;
}

}  // namespace phalanx

#include "core/plan/pass.h"

namespace phalanx {

void Pass::RequestAll() {
  if (!full_) {
    full_ = true;
    restarts_ = 0;
    cursor_.reset();
    return;
  }
  if (!cursor_) return;
  if (restarts_ == kMaxRestarts) {
    again_ = true;
    return;
  }
  ++restarts_;
  cursor_.reset();
}

void Pass::RequestOne(const OrderKey& key) { single_.insert(key); }

void Pass::Clear() { *this = Pass(); }

Pass::Place Pass::PlaceIn(const WaitingQueue& queue) const {
  if (!full_) return queue.entries().end();
  return cursor_ ? queue.entries().upper_bound(*cursor_) : queue.entries().begin();
}

bool Pass::HasWork(const WaitingQueue& queue) const {
  if (queue.empty()) return false;
  return !single_.empty() || PlaceIn(queue) != queue.entries().end() || again_;
}

GangId Pass::Next(const WaitingQueue& queue, Place& place) {
  const Place end = queue.entries().end();
  if (full_ && place == end) {
    full_ = false;
    if (again_) {
      again_ = false;
      RequestAll();
      place = PlaceIn(queue);
    }
  }
  while (!single_.empty()) {
    const OrderKey key = *single_.begin();
    if (place != end && place->first <= key) break;
    single_.erase(single_.begin());
    auto entry = queue.entries().find(key);
    if (entry != queue.entries().end()) return entry->second;
  }
  if (place == end) return GangId::None();
  cursor_ = place->first;
  single_.erase(place->first);
  return (place++)->second;
}

}  // namespace phalanx

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

WaitingQueue::Entries::const_iterator Pass::AfterCursor(const WaitingQueue& queue) const {
  if (!full_) return queue.entries().end();
  return cursor_ ? queue.entries().upper_bound(*cursor_) : queue.entries().begin();
}

bool Pass::HasWork(const WaitingQueue& queue) const {
  if (queue.empty()) return false;
  return !single_.empty() || AfterCursor(queue) != queue.entries().end() || again_;
}

GangId Pass::Next(const WaitingQueue& queue) {
  auto next = AfterCursor(queue);
  if (full_ && next == queue.entries().end()) {
    full_ = false;
    if (again_) {
      again_ = false;
      RequestAll();
      next = AfterCursor(queue);
    }
  }
  while (!single_.empty()) {
    const OrderKey key = *single_.begin();
    if (next != queue.entries().end() && next->first <= key) break;
    single_.erase(single_.begin());
    auto entry = queue.entries().find(key);
    if (entry != queue.entries().end()) return entry->second;
  }
  if (next == queue.entries().end()) return GangId::None();
  cursor_ = next->first;
  single_.erase(next->first);
  return next->second;
}

}  // namespace phalanx

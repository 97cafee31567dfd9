// Which waiting gang is looked at next.
//
// A full pass goes over the whole queue in order after something changed that can help anybody; a
// single gang that is new or changed is looked at on its own. Where both are due the earlier one in
// the queue's order comes first. A pass can be cut anywhere: the cursor stays.
//
//   queue:   A  B  C  D  E  F         full pass has done A..C, cursor = C
//   single:        C'    E            a change of E: E is due once, by the pass or on its own
//
// A new release restarts a pass from the top, because freed room belongs to the head of the queue;
// but after kMaxRestarts it first runs to its end, so that the tail is looked at even when releases
// come faster than a pass takes.
#ifndef PHALANX_CORE_PLAN_PASS_H_
#define PHALANX_CORE_PLAN_PASS_H_

#include <optional>
#include <set>

#include "core/order/waiting_queue.h"
#include "phalanx/ids.h"

namespace phalanx {

class Pass {
 public:
  static constexpr int kMaxRestarts = 3;

  // Something changed that can help every gang.
  void RequestAll();
  // The gang behind `key` is new or changed.
  void RequestOne(const OrderKey& key);
  // The gang behind `key` left the queue.
  void Forget(const OrderKey& key) { single_.erase(key); }
  // Forgets everything that is due.
  void Clear();

  bool HasWork(const WaitingQueue& queue) const;
  // Where the full pass goes on: the end of the queue if none is under way.
  using Place = WaitingQueue::Entries::const_iterator;
  Place PlaceIn(const WaitingQueue& queue) const;
  // The next gang that is due, which then is not due any more; None when nothing is. Moves `place`,
  // which was PlaceIn() and holds until the queue changes, or RequestAll() or Clear() is called.
  GangId Next(const WaitingQueue& queue, Place& place);

  // For the digest: everything that decides what comes next.
  bool full() const { return full_; }
  const std::optional<OrderKey>& cursor() const { return cursor_; }
  const std::set<OrderKey>& single() const { return single_; }

 private:
  bool full_ = false;
  bool again_ = false;  // another full pass is due after this one
  int restarts_ = 0;
  std::optional<OrderKey> cursor_;  // last gang that the full pass looked at
  std::set<OrderKey> single_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_PASS_H_

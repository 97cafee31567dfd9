// Virtual time: what is due, ordered by (time, order of creation).
#ifndef PHALANX_SIM_EVENT_QUEUE_H_
#define PHALANX_SIM_EVENT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "phalanx/time.h"

namespace phalanx::sim {

class EventQueue {
 public:
  using Handler = std::function<void()>;

  explicit EventQueue(Time start) : start_(start), now_(start) {}

  // An event in the past is due at once.
  void At(Time when, Handler handler) { Push(when, std::move(handler), false); }
  void After(Duration delay, Handler handler) { At(now_ + delay, std::move(handler)); }
  // The same for what only waits, such as a deadline: it alone does not keep a run going.
  void BackgroundAt(Time when, Handler handler) { Push(when, std::move(handler), true); }

  Time now() const { return now_; }
  Duration elapsed() const { return now_ - start_; }
  Time start() const { return start_; }
  bool empty() const { return events_.empty(); }
  size_t foreground() const { return foreground_; }
  Time next() const { return events_.empty() ? Time::Never() : Time{events_.begin()->first.first}; }

  // REQUIRES: not empty.
  void RunNext() {
    auto node = events_.extract(events_.begin());
    now_ = Time{node.key().first};
    if (!node.mapped().background) --foreground_;
    node.mapped().handler();
  }

 private:
  struct Event {
    Handler handler;
    bool background = false;
  };
  void Push(Time when, Handler handler, bool background) {
    if (!background) ++foreground_;
    events_.emplace(std::pair(std::max(when, now_).ms, sequence_++),
                    Event{std::move(handler), background});
  }

  Time start_;
  Time now_;
  uint64_t sequence_ = 0;
  size_t foreground_ = 0;
  std::map<std::pair<int64_t, uint64_t>, Event> events_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_EVENT_QUEUE_H_

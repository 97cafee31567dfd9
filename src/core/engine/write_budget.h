// How many writes are allowed now: a token bucket in engine time, in integers.
//
// It fills at `per_second` writes a second up to a second's worth, and begins full. A write may
// overdraw it, so that two that belong together are never torn; what follows waits the longer.
#ifndef PHALANX_CORE_ENGINE_WRITE_BUDGET_H_
#define PHALANX_CORE_ENGINE_WRITE_BUDGET_H_

#include <algorithm>
#include <cstdint>

#include "phalanx/time.h"

namespace phalanx {

class WriteBudget {
 public:
  // REQUIRES: per_second > 0.
  explicit WriteBudget(int64_t per_second) : rate_(per_second), level_(per_second * kWrite) {}

  // Time only grows.
  void Refill(Time now) {
    const int64_t passed = std::min<int64_t>(now.ms - at_.ms, kSecond * kSecond);
    level_ = std::min(level_ + passed * rate_, rate_ * kWrite);
    at_ = now;
  }
  bool Has() const { return level_ >= kWrite; }
  void Spend() { level_ -= kWrite; }
  // When it has one again.
  Time NextAt() const {
    const int64_t lacking = kWrite - level_;
    return lacking <= 0 ? at_ : Time{at_.ms + (lacking + rate_ - 1) / rate_};
  }
  int64_t level() const { return level_; }

 private:
  // Levels count thousandths of a write, since the bucket gains rate / 1000 writes a millisecond.
  static constexpr int64_t kWrite = 1000;
  static constexpr int64_t kSecond = 1000;

  int64_t rate_;
  int64_t level_;
  Time at_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_WRITE_BUDGET_H_

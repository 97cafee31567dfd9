#include "runtime/clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace phalanx::runtime {
namespace {

template <class ChronoClock>
int64_t MillisOf() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             ChronoClock::now().time_since_epoch())
      .count();
}

}  // namespace

Clock::Clock()
    : Clock(MillisOf<std::chrono::system_clock>(), MillisOf<std::chrono::steady_clock>) {}

Clock::Clock(int64_t wall_ms, Source monotonic_ms)
    : wall_ms_(wall_ms), monotonic_ms_(std::move(monotonic_ms)), start_ms_(monotonic_ms_()) {
  last_.ms = wall_ms_;
}

Time Clock::Now() {
  last_ = std::max(last_, Time{wall_ms_ + monotonic_ms_() - start_ms_});
  return last_;
}

}  // namespace phalanx::runtime

// When a production engine compares its derived state with a recomputation: bounded in rate, in
// share of the time and in how long it may keep the engine thread.
//
// Threads: the engine thread alone.
#ifndef PHALANX_RUNTIME_INVARIANT_SAMPLER_H_
#define PHALANX_RUNTIME_INVARIANT_SAMPLER_H_

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace phalanx::runtime {

class InvariantSampler {
 public:
  using Clock = std::chrono::steady_clock;
  // A check that took t is followed by none for kShare * t.
  static constexpr int kShare = 100;

  // A check every `period` at most, and none while more than `most_pods` are there, since its cost
  // grows with them. A period of 0: never.
  InvariantSampler(std::chrono::milliseconds period, size_t most_pods)
      : period_(period), most_pods_(most_pods) {}

  bool Due(Clock::time_point now, size_t pods) const {
    return period_.count() > 0 && now >= next_ && pods <= most_pods_;
  }
  void Done(Clock::time_point start, Clock::time_point end) {
    next_ = end + std::max<Clock::duration>(period_, kShare * (end - start));
  }

 private:
  std::chrono::milliseconds period_;
  size_t most_pods_;
  Clock::time_point next_;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_INVARIANT_SAMPLER_H_

// Where engine time comes from: the wall clock once, at the start, and the monotonic clock since.
//
// A jump of the wall clock moves no deadline. Time never goes backwards.
#ifndef PHALANX_RUNTIME_CLOCK_H_
#define PHALANX_RUNTIME_CLOCK_H_

#include <cstdint>
#include <functional>

#include "phalanx/time.h"

namespace phalanx::runtime {

class Clock {
 public:
  using Source = std::function<int64_t()>;  // milliseconds

  // The clocks of this machine.
  Clock();
  // For tests. `monotonic_ms` is called by the engine thread alone.
  Clock(int64_t wall_ms, Source monotonic_ms);

  // Threads: one caller (the engine thread).
  Time Now();

 private:
  int64_t wall_ms_;
  Source monotonic_ms_;
  int64_t start_ms_;
  Time last_;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_CLOCK_H_

// Engine time: an input, never read from a clock here.
//
// A Time is milliseconds since the Unix epoch as the shell counts them: wall clock at its start
// plus monotonic time since. It never goes backwards.
#ifndef PHALANX_TIME_H_
#define PHALANX_TIME_H_

#include <compare>
#include <cstdint>
#include <limits>

namespace phalanx {

struct Duration {
  int64_t ms = 0;

  static constexpr Duration Seconds(int64_t s) { return {s * 1000}; }
  static constexpr Duration Minutes(int64_t m) { return Seconds(m * 60); }
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ms + b.ms}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ms - b.ms}; }
};

struct Time {
  int64_t ms = 0;

  static constexpr Time Never() { return {std::numeric_limits<int64_t>::max()}; }
  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d) { return {t.ms + d.ms}; }
  friend constexpr Duration operator-(Time a, Time b) { return {a.ms - b.ms}; }
};

}  // namespace phalanx

#endif  // PHALANX_TIME_H_

// Exact comparison of ratios of 64-bit integers, without division or rounding.
#ifndef PHALANX_CORE_BASE_RATIO_H_
#define PHALANX_CORE_BASE_RATIO_H_

#include <compare>
#include <cstdint>

#include "core/base/check.h"

namespace phalanx {

__extension__ using Int128 = __int128;

// numerator / denominator.
// REQUIRES (of CompareRatios): neither is negative. A denominator of 0 stands for "nothing there":
// 0/0 equals 0, and anything else over 0 is greater than every finite ratio.
struct Ratio {
  int64_t numerator = 0;
  int64_t denominator = 1;
};

inline std::strong_ordering CompareRatios(Ratio a, Ratio b) {
  PHALANX_CHECK(a.numerator >= 0 && a.denominator >= 0 && b.numerator >= 0 && b.denominator >= 0,
                "{}/{} against {}/{}", a.numerator, a.denominator, b.numerator, b.denominator);
  const bool a_infinite = a.denominator == 0 && a.numerator > 0;
  const bool b_infinite = b.denominator == 0 && b.numerator > 0;
  if (a_infinite || b_infinite) return a_infinite <=> b_infinite;
  // 0/0 is 0/1.
  const Int128 left = Int128{a.numerator} * (b.denominator == 0 ? 1 : b.denominator);
  const Int128 right = Int128{b.numerator} * (a.denominator == 0 ? 1 : a.denominator);
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

}  // namespace phalanx

#endif  // PHALANX_CORE_BASE_RATIO_H_

// A change of fragmentation as a score of 0 to 100, in integers.
//
// score(d) = floor(100 / (1 + exp(-d / scale))): the truncated sigmoid of the published scores
// (Weng et al., USENIX ATC 2023), d > 0 where fragmentation falls. It is 50 for no change and most
// sensitive there: what differs by less than a 25th of the scale is often the same, and is decided
// by the next term. Instead of a sigmoid there are 99 thresholds: the score is at least j from
// scale × ln(j / (100 - j)) on.
#ifndef PHALANX_CORE_PLACE_SCORE_STEPS_H_
#define PHALANX_CORE_PLACE_SCORE_STEPS_H_

#include <array>
#include <cstdint>

namespace phalanx {

class ScoreSteps {
 public:
  // REQUIRES: 0 < scale < 2^50.
  explicit ScoreSteps(int64_t scale);
  // 0 .. 99. O(log 100).
  int32_t ScoreOf(int64_t change) const;

 private:
  std::array<int64_t, 99> least_;  // [j - 1]: the least change with a score of j
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SCORE_STEPS_H_

// Which partial placements can not belong to the best one, once the fewest domains per level are
// known (the counts stage of equal.h).
//
// A state holds k members in m domains of a level. The best placement has m* of them, so the rest
// gets at most the m* - m largest domains of the level: G(m* - m) members. Is k + G(m* - m) below
// what is to be placed, the state leads nowhere:
//
//     512 members, m* = 8 leaves, the largest have 66 66 65 65 64 64 64 63 slots: a state that
//     holds 50 members in one leaf needs 462 in seven, which hold 454 at most.
#ifndef PHALANX_CORE_PLACE_COUNT_BOUND_H_
#define PHALANX_CORE_PLACE_COUNT_BOUND_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/place/key.h"
#include "core/place/staircase.h"
#include "core/place/tree_query.h"

namespace phalanx {

class CountBound {
 public:
  // `fewest` by level: m*; -1 where it is not known. REQUIRES: nothing is touched before, and there
  // are no segments.
  CountBound(const Census& census, const std::vector<int64_t>& fewest, int32_t members);

  // Drops steps that lead nowhere. `layout` counts every level that has a bound.
  template <class Key>
  void Prune(const KeyLayout& layout, Staircase<Key>& stairs) const {
    const auto dead = [&](const Step<Key>& step) { return step.most > 0 && IsDead(layout, step); };
    stairs.erase(std::remove_if(stairs.begin(), stairs.end(), dead), stairs.end());
  }

 private:
  template <class Key>
  bool IsDead(const KeyLayout& layout, const Step<Key>& step) const {
    for (const Level& level : levels_) {
      const int64_t touched = layout.Field(step.key, level.index);
      if (touched == 0) continue;
      const int64_t left = std::ssize(level.largest) - 1 - touched;
      if (left < 0 || step.most + level.largest[static_cast<size_t>(left)] < members_) return true;
    }
    return false;
  }

  struct Level {
    size_t index;
    std::vector<int64_t> largest;  // [x] = G(x), x = 0 .. m*
  };

  const int32_t members_;
  std::vector<Level> levels_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_COUNT_BOUND_H_

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
#include <limits>
#include <span>
#include <vector>

#include "core/place/key.h"
#include "core/place/staircase.h"
#include "core/place/tree_query.h"

namespace phalanx {

// How many members a state must hold by what it touches of one level.
struct MembersNeeded {
  KeyField field;
  std::span<const int32_t> by_touched;  // up to m*

  template <class Key>
  int32_t operator()(const Key& key) const {
    const auto touched = static_cast<size_t>(field.Of(key));
    return touched < by_touched.size() ? by_touched[touched] : std::numeric_limits<int32_t>::max();
  }
};

class CountBound {
 public:
  // `fewest` by level: m*; -1 where it is not known. Levels that `layout` does not count have no
  // bound. REQUIRES: nothing is touched before, and there are no segments.
  CountBound(const Census& census, const KeyLayout& layout, const std::vector<int64_t>& fewest,
             int32_t members);

  // Whether a state of so many members with this key leads nowhere.
  template <class Key>
  bool Dead(int32_t members, const Key& key) const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [&](const Level& level) { return members < level.Needed()(key); });
  }
  // Drops steps that lead nowhere.
  template <class Key>
  void Prune(Staircase<Key>& stairs) const {
    std::erase_if(stairs, [&](const Step<Key>& step) { return Dead(step.most, step.key); });
  }

  // By the coarsest level that `like` touches: among keys that touch nothing coarser the need never
  // falls as keys grow.
  template <class Key>
  MembersNeeded NeededLike(const Key& like) const {
    const auto coarsest = std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) {
      return level.field.Of(like) > 0;
    });
    return coarsest == levels_.end() ? kNothing : coarsest->Needed();
  }

 private:
  struct Level {
    MembersNeeded Needed() const {
      return needed.empty() ? kNothing : MembersNeeded{field, needed};
    }

    KeyField field;
    std::vector<int32_t> needed;  // empty: m* is not known
  };

  static constexpr int32_t kZero[] = {0};
  static constexpr MembersNeeded kNothing{{}, kZero};  // a field of no bits reads 0

  std::vector<Level> levels_;  // that count, the coarsest first
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_COUNT_BOUND_H_

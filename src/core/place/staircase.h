// The table of the placement search: the least key for each number of members below a vertex, kept
// as the steps at which the key grows.
//
//     key                        ┌──── two racks, 5 hosts: up to 9 members
//                       ┌────────┘
//              ┌────────┘              one rack, 2 hosts: up to 5 members
//         ┌────┘
//         0    2        5        9     members
//
// Taking a member away never touches more, so the least key never falls as members are added, and
// there are at most as many steps as there are different keys: a host is one step, however many
// slots it has. A dense table would hold one entry per member.
#ifndef PHALANX_CORE_PLACE_STAIRCASE_H_
#define PHALANX_CORE_PLACE_STAIRCASE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/place/key.h"

namespace phalanx {

template <class Key>
struct Step {
  int32_t most = 0;  // up to so many members ...
  Key key{};         // ... cost this
};

// [0] is {0, 0}; `most` ascends, and so do keys (but [1] may cost nothing either).
template <class Key>
using Staircase = std::vector<Step<Key>>;

template <class Key>
Staircase<Key> GroundFloor() {
  return {Step<Key>{}};
}

// The first step that reaches so far, or the end.
template <class Key>
auto StepOf(const Staircase<Key>& stairs, int32_t members) {
  return std::lower_bound(
      stairs.begin(), stairs.end(), members,
      [](const Step<Key>& candidate, int32_t count) { return candidate.most < count; });
}

// The least key of exactly `members`. REQUIRES: the last step reaches so far.
template <class Key>
const Key& KeyOf(const Staircase<Key>& stairs, int32_t members) {
  const auto step = StepOf(stairs, members);
  PHALANX_CHECK(step != stairs.end(), "{} members above all steps", members);
  return step->key;
}

// The same stairs up to `limit` members.
template <class Key>
void CutTo(int32_t limit, Staircase<Key>& stairs) {
  size_t size = 1;
  while (size < stairs.size() && stairs[size - 1].most < limit) ++size;
  stairs.resize(size);
  stairs.back().most = std::min(stairs.back().most, limit);
}

// No state is ruled out.
template <class Key>
struct NothingNeeded {
  int32_t operator()(const Key&) const { return 0; }
};

// Merges staircases of children into that of their parent. Owns the scratch memory for it.
template <class Key>
class StairMerger {
 public:
  // The least sum of a.key + b.key for each number of members up to `limit`. A sum is left out if
  // it has less than needed(sum) members, which never falls as keys grow. O(a x b steps + reach).
  template <class Needed = NothingNeeded<Key>>
  Staircase<Key> Merge(const Staircase<Key>& a, const Staircase<Key>& b, int32_t limit,
                       const Needed& needed = {}) {
    Start(std::min(a.back().most + b.back().most, limit));
    Pour(a, b, needed);
    return WithGround();
  }

  // The same in steps, for a least sum over several pairs: Start() with the largest reach of any,
  // Pour() each of them, and one of the last two.
  void Start(int32_t reach) {
    least_.assign(static_cast<size_t>(reach) + 1, AboveAllKeys<Key>());
    cells_ += reach;
  }
  template <class Needed = NothingNeeded<Key>>
  void Pour(const Staircase<Key>& a, const Staircase<Key>& b, const Needed& needed = {}) {
    const auto reach = static_cast<int32_t>(least_.size()) - 1;
    for (const Step<Key>& first : a) {
      for (auto second = b.begin(); second != b.end(); ++second) {
        const Key key = first.key + second->key;
        const int32_t enough = needed(key);
        if (enough > reach) break;  // for what follows, too
        if (first.most + second->most < enough) {
          second = StepOf(b, enough - first.most) - 1;
          continue;
        }
        const int32_t most = std::min(first.most + second->most, reach);
        Key& least = least_[static_cast<size_t>(most)];
        least = std::min(least, key);
        if (most == reach) break;  // what follows costs more and gives nothing
      }
    }
    // Whatever is left out: a budget of cells means the same with and without needs.
    cells_ += static_cast<int64_t>(a.size() * b.size());
  }
  // With {0, 0} as its first step, whatever else costs nothing.
  Staircase<Key> WithGround() const { return Steps(1, GroundFloor<Key>()); }
  // Where no member at all costs something, too.
  Staircase<Key> WithoutGround() const { return Steps(0, {}); }

  int64_t cells() const { return cells_; }

 private:
  // What is cheaper than everything that gives as much or more, from `first` members on.
  Staircase<Key> Steps(size_t first, Staircase<Key> steps) const {
    Key cheapest = AboveAllKeys<Key>();
    const auto ground = static_cast<ptrdiff_t>(steps.size());
    for (size_t most = least_.size(); most-- > first;) {
      if (least_[most] >= cheapest) continue;
      cheapest = least_[most];
      steps.push_back({static_cast<int32_t>(most), cheapest});
    }
    std::reverse(steps.begin() + ground, steps.end());
    return steps;
  }

  std::vector<Key> least_;
  int64_t cells_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_STAIRCASE_H_

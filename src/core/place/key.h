// The value that the placement search minimises: how many domains are touched per level, packed
// into one number so that adding two values adds level by level, and comparing them compares the
// coarsest level first.
//
//     levels  zone  spine  leaf  host          a touched vertex "leaf + host"
//     bits    | 4 |  | 4 |  | 4 | | 4 |   →    0 0 1 1
//
// A level's field is wide enough for the largest count that can occur (KeyLayout), so no sum ever
// carries into the next field; the width in total decides which of three types is used.
#ifndef PHALANX_CORE_PLACE_KEY_H_
#define PHALANX_CORE_PLACE_KEY_H_

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/ratio.h"
#include "core/cluster/topology.h"

namespace phalanx {

// 256 bits: enough for sixteen levels and the hosts at 14 bits each (kMaxGangSize).
class Key256 {
 public:
  Key256() = default;
  static Key256 Bit(int position) {
    Key256 key;
    key.words_[3 - position / 64] = uint64_t{1} << (position % 64);
    return key;
  }
  friend Key256 operator+(const Key256& a, const Key256& b) {
    Key256 sum;
    uint64_t carry = 0;
    for (size_t i = 4; i-- > 0;) {
      const uint64_t partial = a.words_[i] + carry;
      carry = partial < carry;
      sum.words_[i] = partial + b.words_[i];
      carry += sum.words_[i] < partial;
    }
    return sum;
  }
  friend auto operator<=>(const Key256&, const Key256&) = default;

 private:
  std::array<uint64_t, 4> words_{};  // most significant first
};

template <class Key>
Key KeyBit(int position) {
  if constexpr (std::is_same_v<Key, Key256>) {
    return Key256::Bit(position);
  } else {
    return Key{1} << position;
  }
}

// Where each level's field lies. `most` is the largest count of any level: a level can not have
// more touched domains than there are members, nor than there are hosts with a slot.
class KeyLayout {
 public:
  KeyLayout(size_t levels, int64_t most)
      : levels_(levels), width_(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(most, 1)))) {
    PHALANX_CHECK(bits() < 256, "{} levels of {} bits", levels, width_);
  }
  // Fields of all levels and the hosts (level `levels`).
  int bits() const { return (static_cast<int>(levels_) + 1) * width_; }

  // One touched vertex of `level` whose parent is of `parent_level` (-1: the root). The levels that
  // it skips count too: a host that lacks a level shares it with nobody.
  template <class Key>
  Key Touch(int parent_level, size_t level) const {
    Key key{};
    for (size_t i = static_cast<size_t>(parent_level) + 1; i <= level; ++i) {
      key = key + KeyBit<Key>(static_cast<int>(levels_ - i) * width_);
    }
    return key;
  }

 private:
  size_t levels_;
  int width_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_KEY_H_

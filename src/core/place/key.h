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
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/ratio.h"

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

  // The 64 bits from `position` on.
  uint64_t From(int position) const {
    const size_t word = 3 - static_cast<size_t>(position) / 64;
    const int shift = position % 64;
    const uint64_t low = words_[word] >> shift;
    return shift == 0 || word == 0 ? low : low | words_[word - 1] << (64 - shift);
  }

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

// Keys of at most so many bits fit the type; the next bit by itself is greater than all of them.
template <class Key>
inline constexpr int kKeyBits = static_cast<int>(sizeof(Key)) * 8 - 2;

template <class Key>
Key AboveAllKeys() {
  return KeyBit<Key>(kKeyBits<Key>);
}

// The bits of one level.
struct KeyField {
  int shift = 0;
  int width = 0;  // 0: the level does not count

  int64_t Of(int64_t key) const { return Low(key >> shift); }
  int64_t Of(Int128 key) const { return Low(static_cast<int64_t>(key >> shift)); }
  int64_t Of(const Key256& key) const { return Low(static_cast<int64_t>(key.From(shift))); }

 private:
  int64_t Low(int64_t shifted) const { return shifted & ((int64_t{1} << width) - 1); }
};

// Where each level's field lies.
class KeyLayout {
 public:
  // By level, hosts last: the largest count that can occur. 0: the level does not count.
  explicit KeyLayout(std::span<const int64_t> most) {
    for (const int64_t count : most) {
      fields_.push_back({0, static_cast<int>(std::bit_width(static_cast<uint64_t>(count)))});
      bits_ += fields_.back().width;
    }
    PHALANX_CHECK(bits_ <= kKeyBits<Key256>, "{} bits", bits_);
    int shift = bits_;
    for (KeyField& field : fields_) field.shift = shift -= field.width;
  }

  int bits() const { return bits_; }
  const KeyField& field(size_t level) const { return fields_[level]; }
  bool Counts(size_t level) const { return fields_[level].width > 0; }

  // One touched vertex of `level` whose parent is of `parent_level` (-1: the root). The levels that
  // it skips count too: a host that lacks a level shares it with nobody.
  template <class Key>
  Key Touch(int parent_level, size_t level) const {
    Key key{};
    for (size_t i = static_cast<size_t>(parent_level) + 1; i <= level; ++i) {
      if (Counts(i)) key = key + KeyBit<Key>(fields_[i].shift);
    }
    return key;
  }

 private:
  std::vector<KeyField> fields_;  // by level, hosts last
  int bits_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_KEY_H_

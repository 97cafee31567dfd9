// A 64-bit hash that is the same in every run and on every machine: FNV-1a over bytes, with a
// finish that spreads the result, so that hashes may be summed. Not for input that wants to
// collide.
#ifndef PHALANX_CORE_BASE_HASH_H_
#define PHALANX_CORE_BASE_HASH_H_

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "phalanx/verdict.h"

namespace phalanx {

class Hash {
 public:
  Hash& Add(std::string_view text) {
    Add(text.size());
    for (unsigned char c : text) Byte(c);
    return *this;
  }
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T> Hash& Add(T value) {
    auto bits = static_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) Byte(static_cast<unsigned char>(bits));
    return *this;
  }
  Hash& Add(Time time) { return Add(time.ms); }
  Hash& Add(Duration duration) { return Add(duration.ms); }
  Hash& Add(const ObjectKey& key) { return Add(key.kind).Add(key.ns).Add(key.name); }
  Hash& Add(const GangKey& key) { return Add(key.ns).Add(key.source).Add(key.name); }
  Hash& Add(const Reason& reason) {
    Add(reason.code).Add(reason.have).Add(reason.need).Add(reason.level).Add(reason.domain);
    Add(reason.subject).Add(reason.detail).Add(reason.member).Add(reason.never);
    for (const Exclusion& out : reason.exclusions) Add(out.cause).Add(out.detail).Add(out.nodes);
    return *this;
  }
  uint64_t Done() const {
    uint64_t h = state_;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    return h;
  }

 private:
  void Byte(unsigned char byte) {
    state_ ^= byte;
    state_ *= 0x100000001b3ULL;
  }
  uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_BASE_HASH_H_

// A hash over the whole state: per-entity hashes, summed modulo 2^64 per kind, so that the order of
// tables does not matter and one entity that differs shows.
#ifndef PHALANX_CORE_ENGINE_DIGEST_H_
#define PHALANX_CORE_ENGINE_DIGEST_H_

#include <cstdint>

#include "core/engine/state.h"

namespace phalanx {

uint64_t DigestOf(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_DIGEST_H_

// Hashes of the state: per field, per entity, and of the whole.
//
// The hash of the whole is a sum of those of its entities, so that the order of tables does not
// matter and one entity that differs shows.
#ifndef PHALANX_CORE_ENGINE_DIGEST_H_
#define PHALANX_CORE_ENGINE_DIGEST_H_

#include <cstdint>
#include <vector>

#include "core/engine/state.h"
#include "phalanx/view.h"

namespace phalanx {

// All but what is of one command only.
uint64_t DigestOf(const State& state);
// With its members and what was published about them.
uint64_t DigestOf(const State& state, const Gang& gang);
// With what is booked on it.
uint64_t DigestOf(const State& state, NodeId node);
// What belongs to no host, gang or pod.
uint64_t DigestOfEngine(const State& state);

// Fields of the gang, of its plan if it has one, and of its members all together.
std::vector<FieldHash> FieldsOf(const State& state, const Gang& gang);
std::vector<FieldHash> FieldsOfEngine(const State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_DIGEST_H_

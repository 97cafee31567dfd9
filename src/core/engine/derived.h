// Derived state of one entity as it is kept, and recomputed from inputs and intent: two lists of
// hashes of the same parts, which are equal unless derived state is wrong.
#ifndef PHALANX_CORE_ENGINE_DERIVED_H_
#define PHALANX_CORE_ENGINE_DERIVED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/state.h"

namespace phalanx {

struct DerivedPart {
  const char* name;  // "held", "phase", "answers", ...
  uint64_t kept = 0;
  uint64_t recomputed = 0;
};

// Who uses what of each node, from pods and members alone. O(pods).
struct Usage {
  Resources bound;
  Resources held;
};
std::map<NodeId, Usage> RecomputeUsage(const State& state);
// The ledger entry that the pod should have.
std::optional<Booking> BookingOf(const State& state, const Pod& pod);

// `usage` is what RecomputeUsage() has for this node.
std::vector<DerivedPart> DerivedOf(const State& state, NodeId node, const Usage& usage);
// O(members).
std::vector<DerivedPart> DerivedOf(const State& state, GangId id);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_DERIVED_H_

// Objects that declare the topology of the cluster: which of them count.
//
// Kinds have a precedence: a ClusterTopology counts before a Topology of Kueue, and that one before
// one of KAI. Of several objects of the kind that counts, the one does whose labels most nodes
// carry (topology_labels.h). An object that is changed into something that can't be followed goes
// on as it was; its problems are shown beside. One that could never be followed counts for nothing:
// so does it after a restart, which knows no better.
#ifndef PHALANX_CORE_ENGINE_DECLARED_H_
#define PHALANX_CORE_ENGINE_DECLARED_H_

#include <vector>

#include "core/engine/state.h"

namespace phalanx {

// What is kept of `object`, which comes now: its levels as they were, where those that it has can
// not be followed.
ApiObject WithLastGood(const ObjectTable& objects, ApiObject object);

// Tells the cluster what is declared now. O(objects). True if that was a change.
bool DeclareTopology(State& state);

// Whether the object is one of those that count.
bool IsDeclared(const State& state, const ApiObject& object);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_DECLARED_H_

// Nodes and pods come, change and go.
#ifndef PHALANX_CORE_ENGINE_INPUTS_H_
#define PHALANX_CORE_ENGINE_INPUTS_H_

#include <string>

#include "core/engine/state.h"
#include "phalanx/command.h"
#include "phalanx/objects.h"

namespace phalanx {

void ApplyChanges(State& state, const Changes& changes);

void RemoveNode(State& state, const std::string& name);
void RemovePod(State& state, PodId id);

// What the pod says about its gang, made safe: a pod of ours without a word about a gang is a gang
// of one if it asks for an accelerator. What the engine can't follow becomes a Problem.
std::optional<Membership> MembershipOf(const State& state, const PodObject& pod);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_INPUTS_H_

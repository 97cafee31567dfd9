// Views of the state: values, made when someone asks. O(what is shown).
#ifndef PHALANX_CORE_ENGINE_VIEWS_H_
#define PHALANX_CORE_ENGINE_VIEWS_H_

#include <optional>
#include <vector>

#include "core/engine/state.h"
#include "core/explain/reason_text.h"
#include "phalanx/view.h"

namespace phalanx {

enum class MembersShown { kAll, kNone };

std::vector<GangView> ViewGangs(const State& state, MembersShown members);
std::optional<GangView> ViewGang(const State& state, const GangKey& key);
std::vector<NodeView> ViewNodes(const State& state);
// What the members that the gang's reason is about ask for.
Asked AskedOf(const State& state, const Gang& gang);
TopologyView ViewTopology(const State& state);
StatsView TakeStats(State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_VIEWS_H_

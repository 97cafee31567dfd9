// What would help a gang that waits for room: what-ifs on the live state, which leave no trace.
//
// Each what-if is one question to the search. Where another gang ends, its bookings are taken out
// of the ledger and put back.
#ifndef PHALANX_CORE_ENGINE_HELP_H_
#define PHALANX_CORE_ENGINE_HELP_H_

#include <optional>

#include "core/engine/state.h"
#include "phalanx/help.h"

namespace phalanx {

// nullopt: there is no such gang, or it does not wait for room or nodes.
// O(levels + kMostGangsTried searches). The state is the same afterwards.
std::optional<HelpView> WhatWouldHelp(State& state, const GangKey& key);

inline constexpr size_t kMostGangsTried = 64;

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_HELP_H_

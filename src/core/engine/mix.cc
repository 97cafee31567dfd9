#include "core/engine/mix.h"

#include <algorithm>
#include <string>

namespace phalanx {
namespace {

TargetMix::Kind KindOf(const Member& member) {
  return {member.shape, std::max<int32_t>(member.object.membership->size, 1)};
}

// Bounds the work of one look at a long queue.
constexpr int kMostGangs = 1'000;

TargetMix::Counts Waiting(const State& state) {
  TargetMix::Counts waiting;
  int looked_at = 0;
  for (const auto& [key, id] : state.queue.entries()) {
    if (++looked_at > kMostGangs) break;
    for (const auto& [place, member] : state.gangs.Get(id).roster.members()) {
      if (member.standing == Standing::kReady) ++waiting[KindOf(member)];
    }
  }
  return waiting;
}

}  // namespace

void NoteCame(State& state, const Member& member) { state.mix.Came(KindOf(member), state.now); }

void RefreshMix(State& state) {
  if (!state.mix.Due(state.now)) return;
  const auto is_device = [&state](const std::string& name) {
    return state.accelerators.Matches(name);
  };
  state.fragmentation.SetMix(state.cluster,
                             state.mix.Make(state.cluster, Waiting(state), is_device, state.now));
}

}  // namespace phalanx

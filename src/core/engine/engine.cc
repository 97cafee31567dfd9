#include "phalanx/engine.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/engine/digest.h"
#include "core/engine/entities.h"
#include "core/engine/facts.h"
#include "core/engine/help.h"
#include "core/engine/inputs.h"
#include "core/engine/invariants.h"
#include "core/engine/planning.h"
#include "core/engine/rollback.h"
#include "core/engine/settle.h"
#include "core/engine/show.h"
#include "core/engine/snapshot.h"
#include "core/engine/state.h"
#include "core/engine/views.h"

namespace phalanx {
namespace {

void Tick(State& state) {
  for (GangId id : state.timers.Due(state.now)) state.Touch(id);
}

void Dispatch(State& state, const Command& command) {
  std::visit(
      [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, Connect>) ApplyConnect(state, body);
        if constexpr (std::is_same_v<Body, Disconnect>) ApplyDisconnect(state);
        if constexpr (std::is_same_v<Body, Changes>) ApplyChanges(state, body);
        if constexpr (std::is_same_v<Body, SyncDone>) ApplySyncDone(state);
        if constexpr (std::is_same_v<Body, MemberFact>) ApplyMemberFact(state, body);
        if constexpr (std::is_same_v<Body, Conflict>) ApplyConflict(state, body);
        if constexpr (std::is_same_v<Body, DirectiveResult>) ApplyDirectiveResult(state, body);
        if constexpr (std::is_same_v<Body, Leadership>) ApplyLeadership(state, body);
        if constexpr (std::is_same_v<Body, phalanx::Tick>) Tick(state);
        if constexpr (std::is_same_v<Body, PlanSlice>) RunPlanSlice(state, body.work_units);
      },
      command.body);
}

}  // namespace

struct Engine::Impl {
  explicit Impl(EngineConfig config) : state(std::move(config)) {}
  State state;
};

Engine::Engine(EngineConfig config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Engine::~Engine() = default;

Outcome Engine::Apply(const Command& command) {
  State& state = impl_->state;
  state.now = std::max(state.now, command.time);
  if (state.exclusions.Expire(state.now)) state.NoteRelease();
  state.admitted.clear();
  if (state.refresh_at <= state.now) state.NoteRelease();
  Dispatch(state, command);
  SettleTouched(state);
  WriteDue(state);
  return state.outbox.Take();
}

Time Engine::NextDeadline() const {
  const State& state = impl_->state;
  return std::min(
      {state.timers.Next(), state.exclusions.NextExpiry(), state.refresh_at, NextWrite(state)});
}

bool Engine::HasPlanningWork() const { return phalanx::HasPlanningWork(impl_->state); }
std::vector<GangView> Engine::Gangs() const { return ViewGangs(impl_->state, MembersShown::kAll); }
std::vector<GangView> Engine::GangList() const {
  return ViewGangs(impl_->state, MembersShown::kNone);
}
std::optional<GangView> Engine::Gang(const GangKey& key) const {
  return ViewGang(impl_->state, key);
}
std::optional<HelpView> Engine::WhatWouldHelp(const GangKey& key) const {
  return phalanx::WhatWouldHelp(impl_->state, key);
}
std::vector<NodeView> Engine::Nodes() const { return ViewNodes(impl_->state); }
TopologyView Engine::TopologySnapshot() const { return ViewTopology(impl_->state); }
StatsView Engine::TakeStats() { return phalanx::TakeStats(impl_->state); }
uint64_t Engine::epoch() const { return impl_->state.epoch; }
bool Engine::synced() const { return impl_->state.synced; }
uint64_t Engine::Digest() const { return DigestOf(impl_->state); }
std::vector<EntityHash> Engine::Hashes() const { return EntityHashes(impl_->state); }
std::vector<FieldHash> Engine::FieldHashes(EntityKind kind, const std::string& name) const {
  return phalanx::FieldHashes(impl_->state, kind, name);
}
std::vector<std::string> Engine::CheckInvariants() const {
  return FindBrokenInvariants(impl_->state);
}

}  // namespace phalanx

// The brain: a pure, deterministic state machine.
//
// Apply() is the only way in. It reads no clock, starts no thread, does no I/O and draws no random
// number, so a recorded sequence of commands replays to the same outcomes and the same Digest().
//
// Threads: none. One writer calls Apply(); const members may be called between two Apply() calls.
// Errors: bad input is refused where it is decoded (wire/) or answered as a Reason of the gang; a
// command that names an unknown pod, plan or node is counted (StatsView::refused_input) and changes
// nothing. A broken invariant ends the process.
#ifndef PHALANX_ENGINE_H_
#define PHALANX_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/command.h"
#include "phalanx/help.h"
#include "phalanx/outcome.h"
#include "phalanx/time.h"
#include "phalanx/view.h"

namespace phalanx {

struct EngineConfig {
  // Resources that are accelerators; a trailing "*" matches any rest. A pod that requests one is
  // held until it is admitted.
  std::vector<std::string> accelerators = {
      "nvidia.com/gpu",     "nvidia.com/gpu.shared", "nvidia.com/mig-*", "amd.com/gpu",
      "gpu.intel.com/i915", "gpu.intel.com/xe",      "google.com/tpu",   "habana.ai/gaudi"};
  // Only nodes with these labels are used; empty: all.
  LabelMap node_scope;
  // Nothing more is admitted while so many members wait for their Permit barrier; the last gang is
  // admitted as a whole. The scheduler takes pods of all gangs mixed, so with thousands nothing is
  // bound until most have been looked at.
  int64_t max_reserving = 2'000;
  // How long a gang may take to the Permit barrier since the scheduler last reserved a member of it
  // or of a gang admitted before it; and on to the PreBind barrier.
  Duration reserve_deadline = Duration::Seconds(60);
  Duration prepare_deadline = Duration::Minutes(10);
  // Gang back-off after a failed start: first, doubled up to the last.
  Duration backoff_first = Duration::Seconds(10);
  Duration backoff_last = Duration::Minutes(10);
  // How long a node that a plugin refused is left out for members of that shape.
  Duration exclusion_ttl = Duration::Seconds(30);
  // How long a gang may be part-bound by its start before it is rolled back: what is left of 30 s
  // is for the evictions.
  Duration repair_deadline = Duration::Seconds(25);
  // How long the numbers of a refusal may be out of date after more room was taken.
  Duration refresh_reasons = Duration::Seconds(5);
  // How long until an eviction that was refused, or a Reject that was not followed, is sent again.
  Duration resend_after = Duration::Seconds(10);
  // A finished gang is shown for this long.
  Duration keep_done = Duration::Minutes(10);
  // What may be written a second for users to read: Gang objects, their status, events, conditions.
  int64_t status_writes_per_second = 20;
  // Nobody is told that a member waits before it, and its complete gang, waited for this long.
  Duration tell_after = Duration::Seconds(5);
  // A gang of one gets a Gang object when it has waited for this long.
  Duration show_single_after = Duration::Seconds(30);
};

class Engine {
 public:
  explicit Engine(EngineConfig config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // REQUIRES: command.time is not before that of the last command (an earlier one counts as it).
  Outcome Apply(const Command& command);

  // When a Tick is due; Time::Never() if nothing is timed.
  Time NextDeadline() const;
  // Whether a PlanSlice would do something.
  bool HasPlanningWork() const;

  // In the order in which the gangs wait, then the others by key.
  std::vector<GangView> Gangs() const;
  // The same without members.
  std::vector<GangView> GangList() const;
  std::optional<GangView> Gang(const GangKey& key) const;
  // What would make a gang start that waits for room or nodes; nullopt if there is no such gang, or
  // it waits for nothing of that kind. Asks the search up to about a hundred times; what it changes
  // meanwhile is put back.
  std::optional<HelpView> WhatWouldHelp(const GangKey& key) const;
  // Depth first.
  std::vector<NodeView> Nodes() const;
  TopologyView TopologySnapshot() const;
  // Clears `waited_ms`.
  StatsView TakeStats();
  uint64_t epoch() const;
  bool synced() const;

  // Hash of the whole state, equal for equal histories.
  uint64_t Digest() const;
  // Hashes per entity, by kind and name. O(state).
  std::vector<EntityHash> Hashes() const;
  // Hashes of the fields of one gang or of the engine; empty if there is no such entity. `name` as
  // in EntityHash.
  std::vector<FieldHash> FieldHashes(EntityKind kind, const std::string& name) const;
  // Broken invariants in words; empty is right. Compares derived state with a recomputation:
  // O(state).
  std::vector<std::string> CheckInvariants() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace phalanx

#endif  // PHALANX_ENGINE_H_

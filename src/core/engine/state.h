// Everything the engine knows, and the few operations that every part of it shares.
//
// The parts are free functions over State, one file each:
//
//   inputs     nodes and pods come, change and go
//   terms      objects come, change and go, and what a gang is held to
//   queues     the queue of a gang: limits, pauses, what is charged
//   facts      what the adapter reports about members, conflicts and effects
//   snapshot   epochs
//   lifecycle  a plan is withdrawn, fails, ends
//   rollback   what is bound by a start that failed leaves
//   settle     after each command: barriers, phase, reason, queue, timers, answers of touched gangs
//   show, tell what users read: Gang objects, conditions and events, under one budget
//   planning   slices of the pass: from waiting gangs to Admit
//   views, digest, invariants   read only
#ifndef PHALANX_CORE_ENGINE_STATE_H_
#define PHALANX_CORE_ENGINE_STATE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/engine/accelerators.h"
#include "core/engine/board.h"
#include "core/engine/gang.h"
#include "core/engine/objects.h"
#include "core/engine/outbox.h"
#include "core/engine/pods.h"
#include "core/engine/timers.h"
#include "core/engine/topology_status.h"
#include "core/measure/counters.h"
#include "core/order/queue_tree.h"
#include "core/order/waiting_queue.h"
#include "core/place/fragmentation.h"
#include "core/plan/exclusions.h"
#include "core/plan/pass.h"
#include "core/plan/progress.h"
#include "core/plan/refusals.h"
#include "core/plan/target_mix.h"
#include "phalanx/command.h"
#include "phalanx/engine.h"

namespace phalanx {

struct State {
  explicit State(EngineConfig c)
      : config(std::move(c)),
        accelerators(config.accelerators),
        cluster(config.node_scope),
        board(config.status_writes_per_second) {}

  EngineConfig config;
  Accelerators accelerators;
  Time now;
  uint64_t epoch = 0;
  bool synced = false;
  bool leading = false;
  uint64_t plans_made = 0;  // in this epoch

  Cluster cluster;
  PodTable pods;
  GangTable gangs;
  ObjectTable objects;
  QueueTree queues;
  WaitingQueue queue;
  Pass pass;
  Refusals refusals;
  Exclusions exclusions;
  TargetMix mix;
  Fragmentation fragmentation;  // by the mix that holds
  Timers timers;
  Time refresh_at = Time::Never();  // when refusals are made again after NoteGrowth()
  Board board;
  TopologyShownTable topologies;                 // those with a status of ours
  std::map<std::string, uint64_t> refused_told;  // by UID: hash of what its author was told
  Counters counters;
  Outbox outbox{&counters};

  std::set<GangId> starting;   // gangs with a plan
  std::set<GangId> exclusive;  // gangs that take room and share no domain of some level
  int64_t reserving = 0;       // members admitted that wait for the Permit barrier
  ReserveProgress progress;
  std::map<uint64_t, std::string> evictions;  // sequence -> UID of the pod, in this epoch
  std::map<uint64_t, std::pair<GangKey, std::string>> job_reads;  // sequence -> UID of the Job
  // Before SyncDone: nodes not sent again yet, and what is in the adapter's pipeline.
  std::set<std::string> unseen_nodes;
  std::map<std::string, MemberFact> pipeline_facts;  // by UID

  // --- due at the end of the command
  std::set<GangId> touched;
  std::vector<PodId> unpublished;
  // --- of the last command, for the invariants
  std::vector<PodId> admitted;

  void Touch(GangId gang) { touched.insert(gang); }
  // The gang of `member`.
  Gang& GangOf(const Member& member) { return gangs.Get(pods.Get(member.pod).gang); }
  bool InPlan(const Gang& gang, const Member& member) const {
    return gang.plan && member.InPipeline() && member.plan == gang.plan->id;
  }
  // Room was taken: refusals stand, but their numbers may be out of date.
  void NoteGrowth() {
    if (refresh_at == Time::Never() && !queue.empty()) refresh_at = now + config.refresh_reasons;
  }
  // Room was freed, or something else happened that can turn a refusal into a fit.
  void NoteRelease() {
    refresh_at = Time::Never();
    refusals.NoteRelease();
    if (!queue.empty()) pass.RequestAll();
  }
  // With whom a pod talks while it takes room.
  Talk TalkOf(const Pod& pod) const {
    if (pod.member == nullptr || !cluster.shapes().Get(pod.member->shape).traffic.Any()) return {};
    return {pod.gang, pod.member->shape};
  }
  std::string NameOf(const Member& member) const {
    return member.object.ns + "/" + member.object.name;
  }
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_STATE_H_

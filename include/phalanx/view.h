// What may be shown of the engine's state: values, made when someone asks.
#ifndef PHALANX_VIEW_H_
#define PHALANX_VIEW_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "phalanx/verdict.h"

namespace phalanx {

enum class GangPhase {
  kGathering,
  kQueued,
  kHolding,
  kStarting,
  kRunning,
  kRepairing,
  kRollingBack,
  kSuspended,
  kDone,
};

struct MemberView {
  std::string pod_uid;
  std::string pod_name;
  std::string role;
  // seen, gated, planned, reserved, prepared, bound, lost (its node is gone), returning, ended
  std::string state;
  std::string node;  // planned or bound; empty otherwise
  int32_t rank = -1;
};

struct GangView {
  GangKey key;
  GangPhase phase = GangPhase::kGathering;
  int32_t size = 0;
  int32_t min = 0;
  int32_t present = 0;
  int32_t bound = 0;
  int64_t devices = 0;  // accelerators asked for by all members seen
  int32_t priority = 0;
  std::string queue;  // empty: the one without a name
  uint64_t plan = 0;
  std::string domain;
  Time first_seen;
  Time started;  // 0 while it waits
  int32_t attempts = 0;
  int32_t position = 0;  // 1 = first of those that wait; 0 when it does not wait
  Time waits_since;      // what its place in the order counts from; 0 when it does not wait
  Reason reason;
  std::string explanation;  // the reason in words
  std::vector<MemberView> members;
};

struct NodeView {
  std::string name;
  std::vector<std::string> path;  // domain names, coarsest first; "" where a level is missing
  bool ready = true;
  bool unschedulable = false;
  QuantityMap allocatable;
  QuantityMap bound;  // by pods of all schedulers
  QuantityMap held;   // for members that are planned and not bound
};

struct DomainView {
  std::string path;
  std::string level;
  int32_t hosts = 0;
  QuantityMap allocatable;
  QuantityMap free;
  Uplink uplink;
  int64_t uplink_used_mbps = 0;  // by gangs that say what they send
};

// An object that declares levels.
struct TopologyObjectView {
  std::string object;   // "ClusterTopology default"
  bool counts = false;  // else one of a kind that comes first does
  std::vector<std::string>
      problems;  // what can't be followed; its levels are then those from before
};

// A resource that all nodes share.
struct PoolView {
  std::string name;
  int64_t capacity = 0;
  int64_t used = 0;                                  // by all pods
  std::vector<std::pair<GangKey, int64_t>> held_by;  // by pods of gangs, most first
};

struct TopologyView {
  uint64_t generation = 0;
  std::vector<std::string> levels;  // coarsest first
  std::vector<TopologyObjectView> objects;
  std::vector<PoolView> pools;
  std::vector<DomainView> domains;  // depth first
};

// Counters and gauges that simulation and production share; deterministic.
struct StatsView {
  std::map<GangPhase, int64_t> gangs_by_phase;
  std::map<std::string, int64_t> placements;     // by result: "fits", or the reason's code in words
  std::map<std::string, int64_t> directives;     // by kind
  std::map<std::string, int64_t> conflicts;      // by plugin
  std::map<std::string, int64_t> refused_input;  // by what was wrong
  int64_t planning_work_units = 0;
  int64_t plans = 0;
  int64_t partial_spells = 0;  // ended ones
  int64_t partial_spell_ms_total = 0;
  int64_t partial_spell_ms_max = 0;
  int64_t status_writes_waiting = 0;  // objects, members and events that wait for the budget
  bool gang_kind_missing = false;     // the API server does not serve the kind Gang
  std::vector<int64_t> waited_ms;     // of gangs that started since the last call
  QuantityMap allocatable;
  QuantityMap bound;
  QuantityMap held;
};

// What a field of the engine's state is: a mirror of API objects, settings or the conversation;
// what we decided and must remember; a function of both; or of one command only, or counted for
// metrics.
enum class FieldKind { kInput, kIntent, kDerived, kScratch };

// What has a hash of its own. kEngine is one entity: what belongs to no host and no gang.
enum class EntityKind { kEngine, kHost, kGang };

// Hashes of one entity, defined in docs/guides/inspect.md. Two brains with the same history have
// the same ones; `derived` and `recomputed` differ only if derived state is wrong.
struct EntityHash {
  EntityKind kind = EntityKind::kEngine;
  std::string name;         // of the node; NAMESPACE/SOURCE/NAME of the gang; "engine"
  uint64_t state = 0;       // inputs, intent and derived state
  uint64_t derived = 0;     // derived state as it is kept; 0 for kEngine
  uint64_t recomputed = 0;  // the same from inputs and intent
  // Parts of the derived state that differ from their recomputation: "held", "phase", ...
  std::vector<std::string> stale;

  friend bool operator==(const EntityHash&, const EntityHash&) = default;
};

// One field of an entity; of members all together.
struct FieldHash {
  std::string name;  // "Gang.domain"
  FieldKind kind = FieldKind::kInput;
  uint64_t hash = 0;
};

// The first entity that differs between two lists of Engine::Hashes(), and how; empty if none does.
std::string FirstDifference(const std::vector<EntityHash>& a, const std::vector<EntityHash>& b);

}  // namespace phalanx

#endif  // PHALANX_VIEW_H_

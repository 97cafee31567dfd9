// The objects of the cluster as the engine takes them.
//
// They are made in wire/ from messages of the adapter, or by a simulated adapter, and are already
// checked there: quantities are between 0 and kMaxQuantity, names are not empty, enums are known.
// What is wrong with a pod as a *member* travels with it as a Problem, because the pod itself is
// real and must be answered.
//
// Units: "cpu" in millicores; "memory", "ephemeral-storage" and "hugepages-*" in bytes; every other
// resource in whole units, "pods" among them.
#ifndef PHALANX_OBJECTS_H_
#define PHALANX_OBJECTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/member_rules.h"
#include "phalanx/node_rules.h"
#include "phalanx/shared_pool.h"
#include "phalanx/time.h"

namespace phalanx {

// 64 TiB as bytes: hosts with 30 TB of local NVMe exist. Sums of up to 2^16 quantities stay below
// 2^63.
inline constexpr int64_t kMaxQuantity = int64_t{1} << 46;
// Largest gang that is accepted.
inline constexpr int32_t kMaxGangSize = 10'000;

using LabelMap = std::map<std::string, std::string>;
using QuantityMap = std::map<std::string, int64_t>;

struct NodeObject {
  std::string name;
  std::string uid;
  LabelMap labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  bool ready = true;
  QuantityMap allocatable;
};

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed };

struct OwnerRef {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
};

// A gang's identity: unique in the cluster. `source` names the dialect: "label", "pod", ...
struct GangKey {
  std::string ns;
  std::string source;
  std::string name;

  friend auto operator<=>(const GangKey&, const GangKey&) = default;
};

// Something that an author wrote and that cannot be followed.
struct Problem {
  std::string field;     // "metadata.labels[phalanx.dev/gang-size]"
  std::string value;     // as written
  std::string expected;  // "a whole number from 1 to 10000"

  friend auto operator<=>(const Problem&, const Problem&) = default;
};

// An object of the API other than nodes and pods. `kind` as people read it ("PodGroup"), with the
// group where two kinds have that name. Unique in the cluster.
struct ObjectKey {
  std::string kind;
  std::string ns;  // empty: of the whole cluster
  std::string name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

// "PodGroup team/train"
inline std::string ToString(const ObjectKey& key) {
  return key.kind + " " + (key.ns.empty() ? key.name : key.ns + "/" + key.name);
}

// What a pod says about the gang that it is a member of.
struct Membership {
  GangKey gang;
  int32_t size = 1;
  int32_t min = 1;
  // The object with the gang's terms, where the pod names one. All members of a gang name the same,
  // since it follows from the gang's key.
  std::optional<ObjectKey> terms_object;
  // Size and minimum come from `terms_object`; else it must not contradict the ones above.
  bool sized_by_object = false;
  std::string role;            // empty: "worker"
  std::string required_level;  // level name or node label key; empty: none
  std::string preferred_level;
  Segment segment;
  Spread spread;
  Together together;
  Traffic traffic;
  // No member of another gang is in a domain of this level that holds members of this one; empty:
  // domains are shared.
  std::string exclusive_level;
  Group group;
  std::string queue;  // the GangQueue that it names; empty: none
  // The place that the pod's controller gave it (completion index, ordinal): in group 0 its rank;
  // the members of each further group follow those of the one before, in the order of their
  // indexes.
  std::optional<int32_t> index;
  int32_t index_group = 0;
  std::optional<Duration> expected_duration;
  std::vector<Problem> problems;  // not empty: the gang is not started
};

// What an object says about the gang whose members name it.
struct GangTerms {
  int32_t min = 1;
  // Members that hold room wait no longer for each other; absent: EngineConfig::reserve_deadline.
  std::optional<Duration> reserve_deadline;

  friend bool operator==(const GangTerms&, const GangTerms&) = default;
};

// What the uplink of each domain of a level carries, in each direction.
struct Uplink {
  int64_t mbps = 0;   // MB/s; 0: not declared
  bool hard = false;  // a limit, and not only what is better not exceeded

  friend auto operator<=>(const Uplink&, const Uplink&) = default;
};
inline constexpr int64_t kMaxUplinkMBps = 1'000'000'000;

// A level of the topology: nodes with the same value of the label, in the same domain above, are
// one domain.
struct DeclaredLevel {
  std::string name;
  std::string label;
  bool before_dot = false;  // only the part of the value before its first dot counts
  // The first level above that this one crosses: its domains hold hosts of several domains of that
  // level. Empty: none.
  std::string crosses = {};
  Uplink uplink = {};

  friend auto operator<=>(const DeclaredLevel&, const DeclaredLevel&) = default;
};

// What an object says about the topology of the cluster.
struct DeclaredTopology {
  int32_t precedence = 0;  // of the object's kind; objects of the lowest one count
  // These are all levels. Else they stand for the fabric's: those of regions and of accelerators
  // are found by their well-known labels as ever.
  bool complete = false;
  std::vector<DeclaredLevel> levels;   // coarse to fine; empty: it says nothing of levels
  std::vector<SharedPool> pools = {};  // by name

  friend auto operator<=>(const DeclaredTopology&, const DeclaredTopology&) = default;
};

// `ObjectKey::kind` of those.
inline constexpr char kGangQueueKind[] = "GangQueue";

// What a GangQueue says. Devices are accelerators of every kind.
struct DeclaredQueue {
  std::string parent;            // empty: it is at the top
  std::optional<int64_t> limit;  // most devices that gangs of it, and below it, take; absent: none
  bool paused = false;           // no gang of it, or below it, is started
  std::string paused_by;
  std::string pause_reason;

  friend bool operator==(const DeclaredQueue&, const DeclaredQueue&) = default;
};

// An object of a kind that the brain has asked for, as its dialect has read it.
struct ApiObject {
  ObjectKey key;
  std::string uid;
  // GangTerms are right only without problems. A topology or a queue with problems is the last one
  // without: followed_generation is 0 where there was none.
  std::variant<GangTerms, DeclaredTopology, DeclaredQueue> body;
  std::vector<Problem> problems;
  // metadata.generation, of a topology or queue: of this object, and of the one that `body` says;
  // 0: none.
  int64_t generation = 0;
  int64_t followed_generation = 0;

  friend bool operator==(const ApiObject&, const ApiObject&) = default;
};

// The plan that a bound pod was bound under, read back from its annotations.
struct BoundPlan {
  uint64_t plan = 0;
  int32_t rank = 0;
  // Admit::gang_size of that plan; 0: not told.
  int32_t gang_size = 0;
  std::string domain;  // path of the common domain of the gang; may be empty
};

// What a Job says about evictions of its pods.
struct JobObject {
  std::string uid;
  int64_t failures_left = 0;        // so many more failed pods do not end it
  bool ignores_disruption = false;  // an evicted pod does not count as failed

  friend auto operator<=>(const JobObject&, const JobObject&) = default;
};

struct PodObject {
  std::string uid;
  std::string ns;
  std::string name;
  bool ours = false;  // its schedulerName is one of our profiles
  std::string node;   // empty while unbound
  PodPhase phase = PodPhase::kPending;
  std::string phase_reason;
  bool deleting = false;
  int32_t priority = 0;
  Time created;
  Time bound;  // 0: not bound, or not known when
  QuantityMap requests;
  OwnerRef owner;  // empty kind: a bare pod
  std::vector<std::string> gates;
  LabelMap node_selector;
  std::vector<NodeSelectorTerm> required_terms;  // one is enough; empty: no constraint
  std::vector<Toleration> tolerations;
  std::vector<std::string> unresolved_objects;  // "claim/NAME", "pvc/NAME"
  Duration termination_grace;
  bool told = false;  // its condition says already that it waits for its gang
  // Absent: a loose pod, or a foreign one.
  std::optional<Membership> membership;
  std::optional<BoundPlan> bound_plan;
};

}  // namespace phalanx

#endif  // PHALANX_OBJECTS_H_

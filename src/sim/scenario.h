// A scenario as it was read: what happens when, and what is expected. Values only.
//
// The grammar is in docs/guides/scenarios.md. Times are relative to the start of the scenario.
#ifndef PHALANX_SIM_SCENARIO_H_
#define PHALANX_SIM_SCENARIO_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/engine.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "sim/text.h"

namespace phalanx::sim {

// How a pod is created: what a user would write, before the brain reads it.
struct PodSpec {
  std::string ns = "default";
  std::string name;
  std::string group;      // "NS/NAME" of the statement that made it
  bool job_owned = true;  // false: a bare pod, which nobody makes again
  bool ours = true;
  bool keeps_name = false;  // made again under its name
  LabelMap labels;
  LabelMap annotations;
  QuantityMap requests;
  int32_t priority = 0;
  std::string node;  // bound from the start
  std::vector<std::string> gates;
  LabelMap node_selector;
  std::vector<Toleration> tolerations;
  std::vector<std::string> unresolved_objects;
  std::vector<SelfRule> self_rules;
  Duration grace = Duration::Seconds(1);
  std::optional<Duration> runs;  // from the bind to its success; absent: for ever
};

// Which pods a command or fault is about. Empty fields match every pod.
struct PodSelector {
  std::vector<std::string> groups;  // "NS/NAME"
  std::vector<std::string> pods;    // "NS/NAME"
  bool Matches(const std::string& group, const std::string& pod) const;
};

struct AddNode {
  NodeObject node;
};
struct ChangeNode {
  std::string name;
  std::optional<bool> unschedulable = {};
  std::optional<bool> ready = {};
  QuantityMap allocatable = {};  // replaced entries
  LabelMap labels = {};          // replaced entries; "" removes
  std::vector<Taint> taints = {};
  bool clear_taints = false;
};
struct RemoveNode {
  std::string name;
};
struct CreatePod {
  PodSpec spec;
};
// Makes a PodGroup, GangQueue or ClusterTopology, or changes it.
struct SetObject {
  ObjectKey key;
  std::string json;
};
struct RemoveObject {
  ObjectKey key;
};
// Deletes pods; their Jobs make new ones unless `with_owner`.
struct DeletePods {
  PodSelector pods;
  bool with_owner = false;
};
// A user deletes Gang objects; the gangs stay.
struct DeleteObjects {
  std::vector<std::string> groups;
};
// The definition of the kind Gang is installed, or removed with all objects.
struct ServeGangs {
  bool served = true;
};
struct RemoveGate {
  PodSelector pods;
  std::string gate;  // empty: all
};
struct EndPods {
  PodSelector pods;
  bool failed = false;
  std::string reason;
};
struct ChangePods {
  PodSelector pods;
  QuantityMap requests;
  LabelMap labels;
  std::optional<int32_t> priority;
};

enum class FaultStage { kFilter, kReserve, kPreBind, kBind, kKubelet };
// A scheduler plugin, the API server or a kubelet says no. Rules are asked in order; the first that
// matches counts.
struct FaultRule {
  FaultStage stage = FaultStage::kFilter;
  PodSelector pods;
  std::string node;  // empty: every node
  std::string plugin = "SimFault";
  std::string message = "refused by the scenario";
  int32_t code = 403;            // kBind: HTTP status; 0: no answer
  bool commits = false;          // kBind: it is done, and only the answer fails
  bool pod_refused = false;      // the pod as such, not the node
  std::optional<int64_t> times;  // absent: always
  std::optional<Duration> until;
};
struct AddFault {
  FaultRule rule;
};

enum class Latency { kWatch, kCycle, kPrepare, kBind, kReturn, kGc };
struct SetLatency {
  Latency which;
  Duration value;
};

enum class BindOrder { kRank, kReversed, kName };
struct SetBindOrder {
  BindOrder order;
};
struct SetBindsInFlight {
  int64_t limit = 16;
};

// kLeader: another pair of processes takes the lead.
enum class Process { kAdapter, kBrain, kBoth, kLeader };
struct Restart {
  Process process;
  Duration down;
  Duration slow = {};  // kLeader: requests of the old leader arrive so late
};

// What happens to messages between adapter and brain.
struct Messages {
  Duration late;  // each by 0 up to this
  int64_t twice_percent = 0;
  int64_t lost_percent = 0;
};
struct SetMessages {
  Messages messages;
};
// The stream between them breaks.
struct CutStream {};
// The adapter's lease is lost, or held again.
struct SetLeading {
  bool leads = true;
};
struct JumpClock {
  Duration by;  // may be negative
};

struct Action {
  Duration at;
  int line = 0;
  std::variant<AddNode, ChangeNode, RemoveNode, CreatePod, DeletePods, DeleteObjects, ServeGangs,
               RemoveGate, EndPods, ChangePods, SetObject, RemoveObject, AddFault, SetLatency,
               SetBindOrder, SetBindsInFlight, Restart, SetMessages, CutStream, SetLeading,
               JumpClock>
      what;
};

// When an expectation must hold. States are looked at when all that is due at an instant is done.
enum class When {
  kAt,      // at `to`
  kBy,      // at some instant from `from` to `to`
  kAlways,  // at every instant from `from` to `to`
  kNever,   // at no instant from `from` to `to`
};
inline constexpr Duration kEnd = {Time::Never().ms};  // the end of the run

enum class Subject { kGang, kPod, kNode, kCluster, kStats };

// `bound>=3`, `reason~"no room"`, or the bare word `waits` (op kNone).
struct Condition {
  std::string field;
  CompareOp op = CompareOp::kNone;
  std::string text;                     // as written
  int64_t number = 0;                   // of numbers, times (ms) and truth values
  std::vector<std::string> items = {};  // of lists, expanded
};

struct Expectation {
  int line = 0;
  std::string text;  // the statement
  When when = When::kAt;
  Duration from = {};
  Duration to = kEnd;
  Subject subject = Subject::kGang;
  std::vector<std::string> names = {};  // "NS/NAME" of gangs and pods, names of nodes
  std::vector<Condition> conditions = {};
  // How many of `names` must fulfil all conditions; absent: every one.
  std::optional<Condition> count = {};
};

struct Scenario {
  std::string file;
  std::string why;
  EngineConfig engine;
  Duration partial_bound = Duration::Seconds(30);
  std::optional<Duration> end;
  uint64_t jitter_seed = 0;  // 0: none
  Duration jitter_max;
  std::vector<Action> actions;  // by time, then line
  std::vector<Expectation> expectations;
  std::vector<std::string> groups;  // "NS/NAME" of our gangs and jobs, in order
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_SCENARIO_H_

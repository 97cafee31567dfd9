// What the engine wants done, and what calls about pods are to be answered from now on.
#ifndef PHALANX_OUTCOME_H_
#define PHALANX_OUTCOME_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/gang_report.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "phalanx/topology_report.h"

namespace phalanx {

struct AdmitMember {
  std::string pod_uid;
  std::string pod_namespace;
  std::string pod_name;
  std::string node;
  std::string node_uid;
  int32_t rank = 0;

  friend auto operator<=>(const AdmitMember&, const AdmitMember&) = default;
};

// The gang's whole placement is in the ledger: its pods may enter the scheduler's queue.
struct Admit {
  GangKey gang;
  uint64_t plan = 0;
  // Of all members; of a gang whose object says only a minimum, that. Written on the pods.
  int32_t gang_size = 0;
  std::string domain;  // path of the common domain
  bool late_barrier = false;
  // Each Binding is tried as a dry run before its member counts as prepared.
  bool dry_run = false;
  std::vector<AdmitMember> members;  // by rank

  friend auto operator<=>(const Admit&, const Admit&) = default;
};

enum class ReleaseStage { kPrepare, kBind };

struct Release {
  GangKey gang;
  uint64_t plan = 0;
  ReleaseStage stage = ReleaseStage::kPrepare;

  friend auto operator<=>(const Release&, const Release&) = default;
};

// The plan is withdrawn; its unbound members are held again.
struct Reject {
  GangKey gang;
  uint64_t plan = 0;
  std::string reason;

  friend auto operator<=>(const Reject&, const Reject&) = default;
};

struct Evict {
  GangKey gang;
  std::string pod_uid;
  std::string pod_namespace;
  std::string pod_name;
  std::string reason;

  friend auto operator<=>(const Evict&, const Evict&) = default;
};

struct PodEvent {
  std::string pod_uid;
  std::string pod_namespace;
  std::string pod_name;
  bool warning = false;
  std::string reason;  // CamelCase
  std::string message;

  friend auto operator<=>(const PodEvent&, const PodEvent&) = default;
};

// The condition PodScheduled=False of a member that waits. The Binding overwrites it.
struct PodWaits {
  std::string pod_uid;
  std::string pod_namespace;
  std::string pod_name;
  Time since;
  std::string reason;   // CamelCase; never "Unschedulable", by which autoscalers go
  std::string message;  // true for as long as it waits: where to look, no numbers

  friend auto operator<=>(const PodWaits&, const PodWaits&) = default;
};

// The Gang object is there, with this owner; its status is written apart.
struct MakeGang {
  GangObject object;
};

// Its status. What is not known is left as it is.
struct ShowGang {
  GangReport report;
};

// The Gang object goes.
struct DropGang {
  GangObject object;
};

// The status of a ClusterTopology.
struct ShowTopology {
  TopologyReport report;
};

// Asks whether a Job survives evictions; its DirectiveResult answers.
struct ReadJob {
  GangKey gang;
  std::string ns;
  std::string name;
  std::string uid;

  friend auto operator<=>(const ReadJob&, const ReadJob&) = default;
};

using DirectiveBody = std::variant<Admit, Release, Reject, Evict, PodEvent, PodWaits, MakeGang,
                                   ShowGang, DropGang, ReadJob, ShowTopology>;

// Numbered from 1 in each epoch; carrying one out twice is harmless.
struct Directive {
  uint64_t sequence = 0;
  DirectiveBody body;
};

enum class AnswerKind {
  kUnknown,   // never seen, or gone
  kLoose,     // every node
  kHeld,      // a member without a plan
  kPlanned,   // this node; Permit waits
  kReleased,  // this node; Permit allows
};

// How calls about one pod are answered until the next change.
struct PodAnswer {
  std::string pod_uid;
  AnswerKind kind = AnswerKind::kUnknown;
  std::string node;
  uint64_t plan = 0;
  std::string reason;

  friend auto operator<=>(const PodAnswer&, const PodAnswer&) = default;
};

struct Outcome {
  std::vector<Directive> directives;
  std::vector<PodAnswer> answers;  // changed ones only
  int64_t work_units = 0;          // spent by planning
};

}  // namespace phalanx

#endif  // PHALANX_OUTCOME_H_

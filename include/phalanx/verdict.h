// Why something waits, or can never run: codes with numbers. Text is made in core/explain only.
#ifndef PHALANX_VERDICT_H_
#define PHALANX_VERDICT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace phalanx {

// How far the answer of the placement search is proven; each includes the ones before it.
enum class ProvenThrough { kNothing, kFeasibility, kCounts, kOverrun, kAll };

enum class ReasonCode {
  kNone,
  kSyncing,          // the snapshot is not complete
  kMembersMissing,   // have of need members seen; detail = how the last start failed, if it did
  kMembersGated,     // complete but for gated members; subject = gate
  kInvalid,          // subject = field, detail = value and what was expected
  kMembersDisagree,  // subject = field, detail = the two values and pods
  kGroupMissing,     // have of need gangs of the group `subject` are complete
  kObjectMissing,    // subject = the object that members name, "KIND NAMESPACE/NAME"
  // The queue `subject` of the gang: nothing is started in it.
  kQueueMissing,  // detail = it, or the queue above it that is not there or can't be read
  kQueueCycle,    // detail = a queue above it that is below itself
  kQueueNotLeaf,  // detail = a queue below it
  kQueuePaused,   // subject = it or one above it; member = by whom, detail = why
  // Its gangs take have devices, `need` more are asked for, the limit is `detail`; subject = it or
  // one above it.
  kQueueLimit,
  kQueued,         // not looked at yet
  kCapacity,       // have of need members; subject = scarcest resource, detail = "FREE of NEEDED"
  kFragmentation,  // enough by the sum, have of need members placeable
  // The best domain of `level` takes have of need; detail = N: in segments of N; subject = group:
  // members of all gangs of the group that wait.
  kTopology,
  kSpread,  // have of need members placeable with `detail` of them in one `level`
  // It would exceed a hard limit: the uplink of `domain` has `have` of the `need` MB/s left.
  kUplink,
  // So much is free of the shared resource `subject` as `have` says (-1: nobody declares it), of
  // `need`; detail = its capacity and who holds it, as text.
  kSharedResource,
  kNoSuchNode,    // no node can ever take the member: the exclusions say why
  kLevelUnknown,  // subject = the level that no node has
  kConflict,      // subject = plugin, detail = message; the plan is made again
  kLateObjects,   // subject = the shared object
  kReturning,     // members of an earlier attempt are still leaving the pipeline
  kBackoff,       // after a failed start; have = attempts, need = seconds left
  kRollingBack,   // bound members leave; have = members that are still there
};

// Why a node is out for a shape.
enum class ExclusionCause {
  kNotReady,
  kUnschedulable,  // cordon
  kTaint,          // detail = taint
  kSelector,       // detail = the label or requirement that does not match
  kOutOfScope,
  kLevelMissing,    // detail = level; the node has no domain there
  kResourceAbsent,  // detail = resource; allocatable is below one member
  kResourceInUse,   // detail = resource; allocatable would do, free is below one member
  kConflict,        // detail = plugin
  kExclusive,       // detail = the level; a gang there shares no domain of it
};

struct Exclusion {
  ExclusionCause cause;
  std::string detail;
  int32_t nodes = 0;

  friend auto operator<=>(const Exclusion&, const Exclusion&) = default;
};

struct Reason {
  ReasonCode code = ReasonCode::kNone;
  int64_t have = 0;  // meaning by code
  int64_t need = 0;
  std::string level;
  std::string domain;   // path of the best domain
  std::string subject;  // meaning by code
  std::string detail;
  // Which member it is about, when not all are alike: "NAMESPACE/NAME"; empty otherwise. For
  // kInvalid it may be an object instead, "KIND NAMESPACE/NAME".
  std::string member;
  std::vector<Exclusion> exclusions;  // most nodes first
  bool never = false;                 // for this inventory: waiting does not help
  ProvenThrough proven = ProvenThrough::kFeasibility;

  friend auto operator<=>(const Reason&, const Reason&) = default;
};

}  // namespace phalanx

#endif  // PHALANX_VERDICT_H_

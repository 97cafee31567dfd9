// The words for what is counted in enums.
#include "core/explain/reason_text.h"

namespace phalanx {

std::string_view ReasonName(ReasonCode code) {
  switch (code) {
    case ReasonCode::kNone:
      return "None";
    case ReasonCode::kSyncing:
      return "Syncing";
    case ReasonCode::kMembersMissing:
      return "MembersMissing";
    case ReasonCode::kMembersGated:
      return "MembersGated";
    case ReasonCode::kInvalid:
      return "Invalid";
    case ReasonCode::kMembersDisagree:
      return "MembersDisagree";
    case ReasonCode::kGroupMissing:
      return "GroupMissing";
    case ReasonCode::kObjectMissing:
      return "ObjectMissing";
    case ReasonCode::kQueueMissing:
      return "QueueMissing";
    case ReasonCode::kQueueCycle:
      return "QueueCycle";
    case ReasonCode::kQueueNotLeaf:
      return "QueueNotLeaf";
    case ReasonCode::kQueuePaused:
      return "QueuePaused";
    case ReasonCode::kQueueLimit:
      return "QueueLimit";
    case ReasonCode::kQueued:
      return "Queued";
    case ReasonCode::kCapacity:
      return "Capacity";
    case ReasonCode::kFragmentation:
      return "Fragmentation";
    case ReasonCode::kTopology:
      return "Topology";
    case ReasonCode::kSpread:
      return "Spread";
    case ReasonCode::kUplink:
      return "Uplink";
    case ReasonCode::kSharedResource:
      return "SharedResource";
    case ReasonCode::kNoSuchNode:
      return "NoSuchNode";
    case ReasonCode::kLevelUnknown:
      return "LevelUnknown";
    case ReasonCode::kConflict:
      return "Conflict";
    case ReasonCode::kLateObjects:
      return "LateObjects";
    case ReasonCode::kReturning:
      return "Returning";
    case ReasonCode::kBackoff:
      return "Backoff";
    case ReasonCode::kRollingBack:
      return "RollingBack";
  }
  return "Unknown";
}

std::string_view ExclusionName(ExclusionCause cause) {
  switch (cause) {
    case ExclusionCause::kNotReady:
      return "NotReady";
    case ExclusionCause::kUnschedulable:
      return "Unschedulable";
    case ExclusionCause::kTaint:
      return "Taint";
    case ExclusionCause::kSelector:
      return "Selector";
    case ExclusionCause::kOutOfScope:
      return "OutOfScope";
    case ExclusionCause::kLevelMissing:
      return "LevelMissing";
    case ExclusionCause::kResourceAbsent:
      return "ResourceAbsent";
    case ExclusionCause::kResourceInUse:
      return "ResourceInUse";
    case ExclusionCause::kConflict:
      return "Conflict";
    case ExclusionCause::kExclusive:
      return "Exclusive";
  }
  return "Unknown";
}

std::string_view StateName(GangState state) {
  switch (state) {
    case GangState::kWaiting:
      return "Waiting";
    case GangState::kStarting:
      return "Starting";
    case GangState::kRunning:
      return "Running";
    case GangState::kRecovering:
      return "Recovering";
    case GangState::kSuspended:
      return "Suspended";
    case GangState::kFinished:
      return "Finished";
  }
  return "Unknown";
}

std::string_view PhaseName(GangPhase phase) {
  switch (phase) {
    case GangPhase::kGathering:
      return "Gathering";
    case GangPhase::kQueued:
      return "Queued";
    case GangPhase::kHolding:
      return "Holding";
    case GangPhase::kStarting:
      return "Starting";
    case GangPhase::kRunning:
      return "Running";
    case GangPhase::kRepairing:
      return "Repairing";
    case GangPhase::kRollingBack:
      return "RollingBack";
    case GangPhase::kSuspended:
      return "Suspended";
    case GangPhase::kDone:
      return "Done";
  }
  return "Unknown";
}

std::string_view ProvenName(ProvenThrough proven) {
  switch (proven) {
    case ProvenThrough::kNothing:
      return "nothing";
    case ProvenThrough::kFeasibility:
      return "feasibility";
    case ProvenThrough::kCounts:
      return "counts";
    case ProvenThrough::kOverrun:
      return "overrun";
    case ProvenThrough::kAll:
      return "all";
  }
  return "unknown";
}

std::string_view EntityName(EntityKind kind) {
  switch (kind) {
    case EntityKind::kEngine:
      return "engine";
    case EntityKind::kHost:
      return "host";
    case EntityKind::kGang:
      return "gang";
  }
  return "unknown";
}

std::string_view FieldKindName(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInput:
      return "input";
    case FieldKind::kIntent:
      return "intent";
    case FieldKind::kDerived:
      return "derived";
    case FieldKind::kScratch:
      return "scratch";
  }
  return "unknown";
}

}  // namespace phalanx

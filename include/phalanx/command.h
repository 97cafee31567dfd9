// Everything that can happen to the engine. A command carries its own time; the same commands give
// the same outcomes.
#ifndef PHALANX_COMMAND_H_
#define PHALANX_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/objects.h"
#include "phalanx/time.h"

namespace phalanx {

// A new adapter speaks; everything learnt under an earlier epoch is forgotten. Epochs only grow.
// Plans are numbered from (epoch << kPlanBits), so they are unique across restarts.
struct Connect {
  uint64_t epoch = 0;
  std::string adapter_id;
};
inline constexpr int kPlanBits = 20;

// The stream of the adapter ended. Nothing is admitted until the next SyncDone.
struct Disconnect {};

// A pod that can't be read as it is, and whose gang's reason does not say so: its author is told.
struct RefusedPod {
  std::string uid;
  std::string ns;
  std::string name;
  std::string what;  // field, value and what was expected
};

// An object is gone; one of another UID under the same key is not.
struct RemovedObject {
  ObjectKey key;
  std::string uid;
};

// Full objects; applied in the order of the fields.
struct Changes {
  std::vector<std::string> removed_nodes;  // by name
  std::vector<NodeObject> nodes;
  std::vector<RemovedObject> removed_objects;
  std::vector<ApiObject> objects;
  std::vector<std::string> removed_pods;  // by UID
  std::vector<PodObject> pods;
  std::vector<RefusedPod> refused_pods;
};

// The snapshot of this epoch is complete.
struct SyncDone {};

enum class MemberState { kReserved, kPrepared, kBinding, kBound, kBindRefused, kReturned };

// A member reached a state under a plan; idempotent, any order. Every member of a rejected plan
// ends in kBound or in kReturned, also one that never entered the scheduler's queue, and so does
// one whose Binding, or the dry run of it, was refused. kBinding counts before SyncDone only: it
// makes the plan known again.
struct MemberFact {
  std::string pod_uid;
  uint64_t plan = 0;
  std::string node;
  MemberState state = MemberState::kReserved;
  int32_t code = 0;
  std::string message;
};

enum class CycleStage { kFilter, kReserve, kPermit, kPreBind, kBind };

// The scheduler disagreed with a plan.
struct Conflict {
  std::string pod_uid;
  uint64_t plan = 0;
  std::string node;
  std::string plugin;
  std::string message;
  CycleStage stage = CycleStage::kFilter;
  bool pod_refused = false;
};

// The HTTP status of an object that is not there.
inline constexpr int32_t kNotFound = 404;

struct DirectiveResult {
  uint64_t sequence = 0;
  bool applied = false;
  int32_t code = 0;
  std::string message;
  bool kind_missing = false;          // the API server does not serve the kind of object
  std::optional<JobObject> job = {};  // of a ReadJob that was applied
};

// False after each Connect until the adapter says otherwise. While it is false nothing is admitted,
// and a plan that is not released for BIND is withdrawn.
struct Leadership {
  bool leading = false;
};

// Time has passed; sent when Engine::NextDeadline() is reached.
struct Tick {};

// Plans for at most about `work_units`; sent while Engine::HasPlanningWork().
struct PlanSlice {
  int64_t work_units = 0;
};

struct Command {
  Time time;
  std::variant<Connect, Disconnect, Changes, SyncDone, MemberFact, Conflict, DirectiveResult,
               Leadership, Tick, PlanSlice>
      body;
};

}  // namespace phalanx

#endif  // PHALANX_COMMAND_H_

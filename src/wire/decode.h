// Messages of the adapter into the engine's commands. All input is checked here and nowhere else.
//
// One bad object never drops the rest of its message:
//   a node that can not be read is taken out (named in removed_nodes, so that no older state of it
//     is planned on); a quantity of it that can not be read counts as absent;
//   a pod without UID, namespace or name is left out; what is wrong with the request of a member is
//     a Problem of its membership, so that its gang waits with that reason;
//   another object of a kind that nobody asked for, or without name or UID, is left out; one whose
//     content can not be followed is there with its problems, so that who needs it can tell;
//   everything of that kind is reported as a Refusal, and, where it is about a pod of ours whose
//     gang's reason does not tell it, as a RefusedPod, so that its author hears of it.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_DECODE_H_
#define PHALANX_WIRE_DECODE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "phalanx/command.h"
#include "phalanx/v1alpha1/cluster.pb.h"

namespace phalanx::wire {

namespace pb = ::phalanx::v1alpha1;

// What one session of an adapter is read with.
struct DecodeOptions {
  std::vector<std::string> scheduler_names;  // of Hello: these pods are ours
  std::vector<std::string> accelerators;     // EngineConfig::accelerators
};

enum class ObjectKind { kNode, kPod, kObject };

// Input that was refused, in whole or in part.
struct Refusal {
  ObjectKind kind = ObjectKind::kNode;
  std::string name;  // of the node, NAMESPACE/NAME of the pod, KIND NAMESPACE/NAME of an object
  Problem problem;
  bool left_out = false;  // the whole object, not the field alone
};

// "node/NAME: status.allocatable[cpu] is -1, expected a whole number from 0 to ..."
std::string ToString(const Refusal& refusal);

Changes DecodeChanges(const pb::Changes& message, const DecodeOptions& options,
                      std::vector<Refusal>& refusals);

// INVALID_ARGUMENT with field, value and what was expected.
absl::StatusOr<MemberFact> DecodeMemberFact(const pb::MemberFact& message);
absl::StatusOr<Conflict> DecodeConflict(const pb::Conflict& message);
absl::StatusOr<DirectiveResult> DecodeDirectiveResult(const pb::DirectiveResult& message);
absl::Status CheckHello(const pb::Hello& message);

// INVALID_ARGUMENT made from a problem.
absl::Status ToStatus(const Problem& problem);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DECODE_H_

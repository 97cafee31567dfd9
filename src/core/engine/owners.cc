#include "core/engine/owners.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace phalanx {
namespace {

using Way = WayOut::Way;

struct Row {
  std::string_view group;  // of the apiVersion, without the version
  std::string_view kind;
  Way way;
  std::string_view why;
};

constexpr std::string_view kDelete = ": delete it to free the gang";

// Only controllers that own pods directly stand here: a JobSet owns Jobs, a LeaderWorkerSet owns
// StatefulSets, a Deployment owns ReplicaSets.
constexpr std::array<Row, 9> kTable = {{
    {"batch", "Job", Way::kAskJob, "its Job is asked whether it survives evictions"},
    {"apps", "ReplicaSet", Way::kEvict, "a ReplicaSet makes evicted pods again"},
    {"apps", "StatefulSet", Way::kEvict,
     "a StatefulSet makes evicted pods again under their names"},
    {"", "ReplicationController", Way::kEvict, "a ReplicationController makes evicted pods again"},
    {"apps", "DaemonSet", Way::kStay, "a DaemonSet's pods belong to their nodes"},
    {"", "Node", Way::kStay, "a static pod belongs to its node"},
    {"ray.io", "RayCluster", Way::kStay, "a RayCluster that loses its head is lost"},
    {"kubeflow.org", "PyTorchJob", Way::kStay, "a PyTorchJob may fail for good with its first pod"},
    {"kubeflow.org", "MPIJob", Way::kStay, "an MPIJob fails for good with its launcher"},
}};

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

WayOut Stay(std::string_view why) { return {Way::kStay, fmt::format("{}{}", why, kDelete)}; }

}  // namespace

WayOut WayOutOf(const OwnerRef& owner) {
  if (owner.kind.empty()) return Stay("a pod without a controller is not made again");
  for (const Row& row : kTable) {
    if (row.kind != owner.kind || row.group != GroupOf(owner.api_version)) continue;
    if (row.way == Way::kStay) return Stay(row.why);
    return {row.way, std::string(row.why)};
  }
  return Stay("its controller is not known to survive an eviction");
}

WayOut JudgeJob(const std::optional<JobObject>& job, int64_t pods) {
  if (!job) return Stay("its Job is gone");
  if (job->ignores_disruption) return {Way::kEvict, "its Job does not count evicted pods"};
  if (job->failures_left >= pods) {
    return {Way::kEvict, "its Job makes evicted pods again within its backoffLimit"};
  }
  return {
      Way::kStay,
      fmt::format("its Job would fail, since it survives {} more failed pods, {} are bound, and "
                  "its podFailurePolicy does not ignore DisruptionTarget: suspend and resume "
                  "the Job to free the gang",
                  job->failures_left, pods)};
}

}  // namespace phalanx

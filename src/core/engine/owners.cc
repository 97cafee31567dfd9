#include "core/engine/owners.h"

#include <array>

namespace phalanx {
namespace {

struct Row {
  std::string_view group;  // of the apiVersion, without the version
  std::string_view kind;
  WayOut way;
};

// Only controllers that own pods directly stand here: a JobSet owns Jobs, a LeaderWorkerSet owns
// StatefulSets, a Deployment owns ReplicaSets.
constexpr std::array<Row, 9> kTable = {{
    {"batch", "Job", {true, "a Job makes evicted pods again within its backoffLimit"}},
    {"apps", "ReplicaSet", {true, "a ReplicaSet makes evicted pods again"}},
    {"apps", "StatefulSet", {true, "a StatefulSet makes evicted pods again under their names"}},
    {"", "ReplicationController", {true, "a ReplicationController makes evicted pods again"}},
    {"apps", "DaemonSet", {false, "a DaemonSet's pods belong to their nodes"}},
    {"", "Node", {false, "a static pod belongs to its node"}},
    {"ray.io", "RayCluster", {false, "a RayCluster that loses its head is lost"}},
    {"kubeflow.org", "PyTorchJob", {false, "a PyTorchJob may fail for good with its first pod"}},
    {"kubeflow.org", "MPIJob", {false, "an MPIJob fails for good with its launcher"}},
}};

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

WayOut WayOutOf(const OwnerRef& owner) {
  if (owner.kind.empty()) return {false, "a pod without a controller is not made again"};
  for (const Row& row : kTable) {
    if (row.kind == owner.kind && row.group == GroupOf(owner.api_version)) return row.way;
  }
  return {false, "its controller is not known to survive an eviction"};
}

}  // namespace phalanx

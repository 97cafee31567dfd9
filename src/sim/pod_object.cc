#include "sim/pod_object.h"

#include <algorithm>

#include "wire/dialects/device_rules.h"
#include "wire/dialects/dialects.h"
#include "wire/dialects/self_rules.h"
#include "wire/dialects/shared_resources.h"
#include "wire/text.h"

namespace phalanx::sim {
namespace {

bool AsksForAccelerator(const QuantityMap& requests, const std::vector<std::string>& accelerators) {
  return std::any_of(requests.begin(), requests.end(), [&](const auto& request) {
    return request.second > 0 && wire::MatchesAny(accelerators, request.first);
  });
}

OwnerRef OwnerOf(const ApiPod& pod) {
  if (!pod.spec.job_owned) return {};
  std::string job = pod.spec.group.substr(pod.spec.group.find('/') + 1);
  return {"batch/v1", "Job", job, JobUid(pod.spec.group)};
}

}  // namespace

std::string JobUid(const std::string& group) { return "job-" + group; }

PodObject ToPodObject(const ApiPod& pod, const std::vector<std::string>& accelerators) {
  PodObject out;
  out.uid = pod.uid;
  out.ns = pod.spec.ns;
  out.name = pod.name;
  out.ours = pod.spec.ours;
  out.node = pod.spec.node;
  out.phase = pod.phase;
  out.phase_reason = pod.phase_reason;
  out.deleting = pod.deleting;
  out.priority = pod.spec.priority;
  out.created = pod.created;
  if (!pod.spec.node.empty()) out.bound = Time{pod.bound_at.ms / 1000 * 1000};
  out.requests = pod.spec.requests;
  std::vector<Problem> problems;
  wire::ReadSharedRequests(pod.spec.annotations, out.requests, problems);
  out.owner = OwnerOf(pod);
  out.gates = pod.spec.gates;
  out.node_selector = pod.spec.node_selector;
  out.tolerations = pod.spec.tolerations;
  out.unresolved_objects = pod.spec.unresolved_objects;
  out.termination_grace = pod.spec.grace;
  out.told = pod.told;
  if (!pod.spec.ours) return out;
  wire::ReadDeviceRules(pod.spec.annotations, out.required_terms, problems);
  wire::PodText text{out.ns, out.name, pod.spec.labels, pod.spec.annotations};
  out.membership = wire::ReadMembership(text);
  if (!out.membership && AsksForAccelerator(out.requests, accelerators)) {
    out.membership = wire::GangOfOne(text);
  }
  if (!out.membership) return out;
  wire::ReadSelfRules(pod.spec.self_rules, *out.membership);
  auto& told = out.membership->problems;
  if (out.node.empty()) told.insert(told.begin(), problems.begin(), problems.end());
  out.bound_plan = pod.plan;
  return out;
}

ApiObject ToApiObject(const ObjectKey& key, const StoredObject& object) {
  auto kinds = wire::WatchedKinds();
  auto kind = std::ranges::find_if(
      kinds, [&key](const wire::WatchedKind& known) { return key.kind == known.kind; });
  return wire::ReadObject(*kind, key, object.uid, object.json);
}

bool IsSent(const ApiPod& pod) { return pod.spec.ours || pod.TakesRoom(); }

}  // namespace phalanx::sim

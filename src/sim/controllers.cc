#include "sim/controllers.h"

#include "phalanx/host_port.h"

namespace phalanx::sim {
namespace {

// How long a Job takes to make a pod again.
constexpr Duration kJobLatency{100};

// The resource that does not fit, as the kubelet admits pods one after the other; "" if all fit.
std::string OverfullResource(const ApiServer& api, const std::string& node) {
  const NodeObject* object = api.FindNode(node);
  if (!object) return "";
  for (const auto& [name, used] : api.UsedOn(node)) {
    if (used > AllocatableOf(*object, name)) return name;
  }
  return "";
}

}  // namespace

Controllers::Controllers(EventQueue& queue, ApiServer& api, Settings& settings, Faults& faults)
    : queue_(queue), api_(api), settings_(settings), faults_(faults) {
  api_.Watch(this);
}

void Controllers::NodeChanged(const std::string& name, const NodeObject* node) {
  if (node) return;
  queue_.After(settings_.gc, [this, name] {
    if (api_.FindNode(name)) return;  // it came back under its name
    std::vector<std::string> orphans;
    for (const auto& [uid, pod] : api_.pods()) {
      if (pod.spec.node == name && !pod.Ended()) orphans.push_back(uid);
    }
    for (const std::string& uid : orphans) api_.RemovePod(uid);
  });
}

void Controllers::PodChanged(const std::string& uid, const ApiPod* pod) {
  if (!pod) {
    auto last = last_seen_.extract(uid);
    if (!last.empty() && last.mapped().phase != PodPhase::kSucceeded) Replace(last.mapped());
    return;
  }
  last_seen_[uid] = *pod;
  // A Job replaces a pod as soon as it is terminating or has failed; a name must be free first.
  const bool failed = pod->phase == PodPhase::kFailed;
  if (!pod->spec.keeps_name && (pod->deleting || failed)) Replace(*pod);
  if (pod->spec.keeps_name && pod->spec.job_owned && failed) {
    queue_.After(kJobLatency, [this, uid] { api_.RemovePod(uid); });
  }
  if (pod->TakesRoom() && started_.insert(uid).second) {
    // In an event of its own: the Binding comes before the kubelet sees it.
    bool no_node = !api_.FindNode(pod->spec.node);
    queue_.After(no_node ? settings_.gc : Duration{}, [this, uid] { RunKubelet(uid); });
  }
}

void Controllers::DeletePod(const std::string& uid) {
  const ApiPod* pod = api_.FindPod(uid);
  if (!pod || pod->deleting) return;
  Duration grace = pod->spec.grace;
  api_.MarkDeleting(uid);
  if (api_.FindPod(uid)) queue_.After(grace, [this, uid] { api_.RemovePod(uid); });
}

void Controllers::DeleteWithOwner(const std::string& uid) {
  if (const ApiPod* pod = api_.FindPod(uid)) ended_jobs_.insert(pod->spec.group);
  DeletePod(uid);
}

void Controllers::RunKubelet(const std::string& uid) {
  const ApiPod* pod = api_.FindPod(uid);
  if (!pod || pod->Ended() || pod->deleting) return;
  // A pod that was bound to a node that is not there has no kubelet.
  if (!api_.FindNode(pod->spec.node)) return api_.RemovePod(uid);
  std::string overfull = OverfullResource(api_, pod->spec.node);
  if (!overfull.empty() && pod->phase == PodPhase::kPending && pod->spec.ours) {
    return api_.SetPhase(uid, PodPhase::kFailed, "OutOf" + overfull);
  }
  const FaultRule* rule = faults_.Refuses(FaultStage::kKubelet, pod->spec.group,
                                          pod->ScenarioName(), pod->spec.node, queue_.elapsed());
  if (rule) return api_.SetPhase(uid, PodPhase::kFailed, rule->message);
  std::optional<Duration> runs = pod->spec.runs;
  api_.SetPhase(uid, PodPhase::kRunning, "");
  if (!runs) return;
  queue_.After(*runs, [this, uid] {
    const ApiPod* running = api_.FindPod(uid);
    if (running && !running->deleting) api_.SetPhase(uid, PodPhase::kSucceeded, "");
  });
}

void Controllers::Replace(const ApiPod& pod) {
  if (!pod.spec.job_owned || !replaced_.insert(pod.uid).second) return;
  PodSpec spec = pod.spec;
  spec.node.clear();
  queue_.After(kJobLatency, [this, spec, next = pod.incarnation + 1] {
    if (!ended_jobs_.contains(spec.group)) api_.CreatePod(spec, next);
  });
}

}  // namespace phalanx::sim

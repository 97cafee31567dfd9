// A node can be taken by others, or shrink, after the brain has decided: then the kubelet refuses,
// and that is no fault of the brain. So the newest plan on the node is held to what it could know:
// the pods that the brain believed there when it was made, and its own.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "phalanx/host_port.h"
#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class OvercommitCheck : public Check {
 public:
  OvercommitCheck(World& world, const Booked& booked) : Check("overcommit", world, booked) {}

  void AfterCommand(const Command&, const Outcome& outcome) override {
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) Note(*admit);
    }
  }

  void PodChanged(const std::string&, const ApiPod* pod) override {
    if (!pod || !pod->plan || !pod->TakesRoom()) return;
    const NodeObject* node = world_.api().FindNode(pod->spec.node);
    if (!node) return;
    for (const auto& [resource, used] : world_.api().UsedOn(node->name)) {
      if (used > AllocatableOf(*node, resource)) Explain(*pod, *node, resource);
    }
  }

 private:
  struct Known {
    int64_t order = 0;           // of the Admit
    std::set<std::string> pods;  // on the node, by UID: booked, or of the plan
    NodeObject node;             // as the brain knew it
  };

  static int64_t Amount(const QuantityMap& map, const std::string& resource) {
    auto it = map.find(resource);
    return it == map.end() ? 0 : it->second;
  }

  void Note(const Admit& admit) {
    ++admits_;
    for (const AdmitMember& member : admit.members) {
      auto [it, fresh] = known_.try_emplace({admit.plan, member.node});
      it->second.pods.insert(member.pod_uid);
      if (!fresh) continue;
      it->second.order = admits_;
      const auto& nodes = booked_.nodes();
      if (auto node = nodes.find(member.node); node != nodes.end()) {
        it->second.node = node->second;
      }
      for (const auto& [uid, pod] : booked_.pods()) {
        const std::string& where = pod.plan != 0 ? pod.held_node : pod.node;
        if (where == member.node && !pod.ended) it->second.pods.insert(uid);
      }
    }
  }

  void Explain(const ApiPod& bound, const NodeObject& node, const std::string& resource) {
    const std::vector<const ApiPod*> pods = world_.api().PodsOn(node.name);
    const Known* newest = nullptr;
    for (const ApiPod* pod : pods) {
      if (!pod->plan) continue;
      auto it = known_.find({pod->plan->plan, node.name});
      if (it == known_.end()) return;  // adopted, or of a scheduler before this run
      if (!newest || it->second.order > newest->order) newest = &it->second;
    }
    if (!newest) return;
    int64_t used = 0;
    for (const ApiPod* pod : pods) {
      if (newest->pods.contains(pod->uid)) used += Amount(pod->spec.requests, resource);
    }
    const int64_t room =
        std::max(AllocatableOf(node, resource), AllocatableOf(newest->node, resource));
    if (used <= room) return;
    Fail(node.name,
         fmt::format("has {} of {}, and pods that the brain knew of take {}; {} was bound last",
                     room, resource, used, bound.ScenarioName()));
  }

  int64_t admits_ = 0;
  std::map<std::pair<uint64_t, std::string>, Known> known_;  // by plan and node
};

}  // namespace

std::unique_ptr<Check> NewOvercommitCheck(World& world, const Booked& booked) {
  return std::make_unique<OvercommitCheck>(world, booked);
}

}  // namespace phalanx::sim

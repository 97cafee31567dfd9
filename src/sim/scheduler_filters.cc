#include "sim/scheduler_filters.h"

#include <fmt/format.h>

#include <algorithm>

#include "phalanx/host_port.h"

namespace phalanx::sim {
namespace {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.exists;
  if (toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool ToleratesAll(const ApiPod& pod, const NodeObject& node) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    const std::vector<Toleration>& all = pod.spec.tolerations;
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::any_of(all.begin(), all.end(),
                       [&](const Toleration& t) { return Tolerates(t, taint); });
  });
}

std::string UnmatchedLabel(const ApiPod& pod, const NodeObject& node) {
  for (const auto& [key, value] : pod.spec.node_selector) {
    auto it = node.labels.find(key);
    if (it == node.labels.end() || it->second != value) return fmt::format("{}={}", key, value);
  }
  return "";
}

int64_t Get(const QuantityMap& map, const std::string& name) {
  auto it = map.find(name);
  return it == map.end() ? 0 : it->second;
}

}  // namespace

std::optional<PluginRefusal> RunFilters(const ApiServer& api, const ApiPod& pod,
                                        const std::string& node_name, const QuantityMap& assumed,
                                        const Reserved& reserved) {
  const NodeObject* node = api.FindNode(node_name);
  if (!node) return PluginRefusal{"Phalanx", fmt::format("node {} is gone", node_name)};
  if (node->unschedulable) {
    return PluginRefusal{"NodeUnschedulable", "node(s) were unschedulable"};
  }
  // The node controller taints nodes that are not ready.
  if (!node->ready || !ToleratesAll(pod, *node)) {
    return PluginRefusal{"TaintToleration", "node(s) had untolerated taint(s)"};
  }
  if (std::string label = UnmatchedLabel(pod, *node); !label.empty()) {
    return PluginRefusal{"NodeAffinity", "node(s) didn't match Pod's node selector: " + label};
  }
  QuantityMap used = api.UsedOn(node_name);
  for (const auto& [name, wanted] : pod.spec.requests) {
    if (wanted == 0) continue;
    if (Get(used, name) + Get(assumed, name) + wanted > AllocatableOf(*node, name)) {
      return PluginRefusal{"NodeResourcesFit", "Insufficient " + name};
    }
  }
  return RunSelfRules(api, pod, *node, reserved);
}

}  // namespace phalanx::sim

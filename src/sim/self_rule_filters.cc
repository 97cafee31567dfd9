// What InterPodAffinity and PodTopologySpread say of rules about pods like the one that is placed.
#include <algorithm>
#include <map>

#include "sim/scheduler_filters.h"

namespace phalanx::sim {
namespace {

bool Carries(const ApiPod& pod, const SelfRule& rule, const ApiPod& other) {
  return other.spec.ns == pod.spec.ns && other.spec.group == pod.spec.group &&
         std::ranges::find(other.spec.self_rules, rule) != other.spec.self_rules.end();
}

const std::string* ValueOf(const NodeObject& node, const std::string& key) {
  if (key == "kubernetes.io/hostname") return &node.name;
  const auto it = node.labels.find(key);
  return it == node.labels.end() ? nullptr : &it->second;
}

// Pods that the rule selects, by value of its key.
std::map<std::string, int64_t> Count(const ApiServer& api, const ApiPod& pod, const SelfRule& rule,
                                     const Reserved& reserved) {
  std::map<std::string, std::string> where;  // UID -> node
  for (const auto& [uid, other] : api.pods()) {
    if (other.TakesRoom() && !other.deleting) where[uid] = other.spec.node;
  }
  for (const auto& [node, uids] : reserved) {
    for (const std::string& uid : uids) where[uid] = node;
  }
  where.erase(pod.uid);
  std::map<std::string, int64_t> counts;
  for (const auto& [uid, name] : where) {
    const ApiPod* other = api.FindPod(uid);
    const NodeObject* node = api.FindNode(name);
    if (!other || !node || !Carries(pod, rule, *other)) continue;
    if (const std::string* value = ValueOf(*node, rule.key)) ++counts[*value];
  }
  return counts;
}

bool MatchesSelector(const ApiPod& pod, const NodeObject& node) {
  return std::ranges::all_of(pod.spec.node_selector, [&](const auto& label) {
    const auto it = node.labels.find(label.first);
    return it != node.labels.end() && it->second == label.second;
  });
}

// The least number in any domain of a node that the pod selects, whatever its taints.
int64_t Least(const ApiServer& api, const ApiPod& pod, const std::string& key,
              const std::map<std::string, int64_t>& counts) {
  int64_t least = INT64_MAX;
  for (const auto& [name, node] : api.nodes()) {
    const std::string* value = ValueOf(node, key);
    if (!value || !MatchesSelector(pod, node)) continue;
    const auto it = counts.find(*value);
    least = std::min(least, it == counts.end() ? 0 : it->second);
  }
  return least;
}

bool Holds(const ApiServer& api, const ApiPod& pod, const SelfRule& rule, const NodeObject& node,
           const std::map<std::string, int64_t>& counts) {
  const std::string* value = ValueOf(node, rule.key);
  const auto it = value ? counts.find(*value) : counts.end();
  const int64_t here = it == counts.end() ? 0 : it->second;
  switch (rule.kind) {
    case SelfRuleKind::kApart:
      return here == 0;
    case SelfRuleKind::kTogether:
      return value && (here > 0 || counts.empty());
    case SelfRuleKind::kSkew:
      return value && here + 1 - Least(api, pod, rule.key, counts) <= rule.max_skew;
  }
  return true;
}

}  // namespace

std::optional<PluginRefusal> RunSelfRules(const ApiServer& api, const ApiPod& pod,
                                          const NodeObject& node, const Reserved& reserved) {
  for (const SelfRule& rule : pod.spec.self_rules) {
    if (Holds(api, pod, rule, node, Count(api, pod, rule, reserved))) continue;
    if (rule.kind == SelfRuleKind::kSkew) {
      return PluginRefusal{"PodTopologySpread",
                           "node(s) didn't match pod topology spread constraints"};
    }
    return PluginRefusal{"InterPodAffinity",
                         "node(s) didn't match pod affinity or anti-affinity rules"};
  }
  return std::nullopt;
}

}  // namespace phalanx::sim

#include "sim/settings.h"

#include <algorithm>

namespace phalanx::sim {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool PodSelector::Matches(const std::string& group, const std::string& pod) const {
  if (groups.empty() && pods.empty()) return true;
  return Contains(groups, group) || Contains(pods, pod);
}

const FaultRule* Faults::Refuses(FaultStage stage, const std::string& group, const std::string& pod,
                                 const std::string& node, Duration elapsed) {
  for (FaultRule& rule : rules_) {
    if (rule.stage != stage || !rule.pods.Matches(group, pod)) continue;
    if (!rule.node.empty() && rule.node != node) continue;
    if (rule.until && elapsed >= *rule.until) continue;
    if (rule.times && *rule.times == 0) continue;
    if (rule.times) --*rule.times;
    return &rule;
  }
  return nullptr;
}

}  // namespace phalanx::sim

#include "core/judge/admission.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

namespace phalanx::judge {
namespace {

std::optional<std::string> Label(const NodeObject& node, const std::string& key) {
  const auto found = node.labels.find(key);
  if (found == node.labels.end()) return std::nullopt;
  return found->second;
}

std::optional<long long> WholeNumber(const std::string& text) {
  const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos) {
    return std::nullopt;
  }
  errno = 0;
  const long long value = std::strtoll(text.c_str(), nullptr, 10);
  if (errno == ERANGE) return std::nullopt;
  return value;
}

bool OneOf(const std::string& value, const std::vector<std::string>& values) {
  for (const std::string& candidate : values) {
    if (candidate == value) return true;
  }
  return false;
}

bool NumberCompares(const std::optional<std::string>& label, const NodeRequirement& requirement) {
  if (!label || requirement.values.size() != 1) return false;
  const auto left = WholeNumber(*label);
  const auto right = WholeNumber(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == SelectorOp::kGt ? *left > *right : *left < *right;
}

bool Satisfied(const NodeObject& node, const NodeRequirement& requirement) {
  const SelectorOp op = requirement.op;
  if (requirement.field) {
    // The API knows one field, and two operators for it.
    if (requirement.key != "metadata.name") return false;
    if (op == SelectorOp::kIn) return OneOf(node.name, requirement.values);
    return op == SelectorOp::kNotIn && !OneOf(node.name, requirement.values);
  }
  const std::optional<std::string> label = Label(node, requirement.key);
  if (op == SelectorOp::kExists) return label.has_value();
  if (op == SelectorOp::kDoesNotExist) return !label.has_value();
  if (op == SelectorOp::kIn) return label && OneOf(*label, requirement.values);
  if (op == SelectorOp::kNotIn) return !label || !OneOf(*label, requirement.values);
  return NumberCompares(label, requirement);
}

bool Selected(const NodeObject& node, const std::vector<NodeSelectorTerm>& terms) {
  if (terms.empty()) return true;
  for (const NodeSelectorTerm& term : terms) {
    bool all = !term.empty();
    for (const NodeRequirement& requirement : term) all = all && Satisfied(node, requirement);
    if (all) return true;
  }
  return false;
}

bool Tolerated(const PodObject& pod, const std::string& key, const std::string& value,
               TaintEffect effect) {
  for (const Toleration& toleration : pod.tolerations) {
    const bool effect_fits = !toleration.effect || *toleration.effect == effect;
    const bool key_fits = toleration.key.empty() || toleration.key == key;
    const bool value_fits = toleration.exists || toleration.value == value;
    if (effect_fits && key_fits && value_fits) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> Objections(const NodeObject& node, const PodObject& pod,
                                    const LabelMap& node_scope) {
  std::vector<std::string> out;
  if (!node.ready) out.push_back("the node is not ready");
  if (node.unschedulable &&
      !Tolerated(pod, "node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule)) {
    out.push_back("the node is cordoned");
  }
  for (const Taint& taint : node.taints) {
    const bool keeps_away = taint.effect != TaintEffect::kPreferNoSchedule;
    if (keeps_away && !Tolerated(pod, taint.key, taint.value, taint.effect)) {
      out.push_back(fmt::format("the taint {} is not tolerated", taint.key));
    }
  }
  for (const auto& [key, value] : pod.node_selector) {
    if (Label(node, key) != value) out.push_back(fmt::format("no label {}={}", key, value));
  }
  if (!Selected(node, pod.required_terms)) out.push_back("no required term matches");
  for (const auto& [key, value] : node_scope) {
    if (Label(node, key) != value)
      out.push_back(fmt::format("out of scope: not {}={}", key, value));
  }
  return out;
}

}  // namespace phalanx::judge

#include "core/cluster/node_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace phalanx {
namespace {

constexpr std::string_view kHealthTaintPrefix = "node.kubernetes.io/";
constexpr std::string_view kNodeNameField = "metadata.name";

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool Contains(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool ComparesAs(const NodeRequirement& requirement, const std::string& label) {
  if (requirement.values.size() != 1) return false;
  const auto have = ParseInt(label);
  const auto limit = ParseInt(requirement.values[0]);
  if (!have || !limit) return false;
  return requirement.op == SelectorOp::kGt ? *have > *limit : *have < *limit;
}

bool FieldMatches(const NodeRequirement& requirement, const NodeObject& node) {
  if (requirement.key != kNodeNameField) return false;
  switch (requirement.op) {
    case SelectorOp::kIn:
      return Contains(requirement.values, node.name);
    case SelectorOp::kNotIn:
      return !Contains(requirement.values, node.name);
    default:
      return false;
  }
}

// The label of `selector` that the node does not carry, or null.
const LabelMap::value_type* Missing(const LabelMap& selector, const LabelMap& labels) {
  for (const auto& entry : selector) {
    const auto it = labels.find(entry.first);
    if (it == labels.end() || it->second != entry.second) return &entry;
  }
  return nullptr;
}

bool TermMatches(const NodeSelectorTerm& term, const NodeObject& node) {
  return !term.empty() && std::all_of(term.begin(), term.end(),
                                      [&](const NodeRequirement& r) { return Matches(r, node); });
}

// nullopt: affinity holds. The requirement blamed is the first that fails in the first term.
std::optional<FilteredOut> AffinityFails(const Shape& shape, const NodeObject& node) {
  if (shape.required_terms.empty()) return std::nullopt;
  for (const NodeSelectorTerm& term : shape.required_terms) {
    if (TermMatches(term, node)) return std::nullopt;
  }
  FilteredOut out{ExclusionCause::kSelector};
  for (const NodeRequirement& requirement : shape.required_terms.front()) {
    if (out.requirement == nullptr && !Matches(requirement, node)) out.requirement = &requirement;
  }
  return out;
}

bool ToleratesAny(const Shape& shape, const Taint& taint) {
  return std::any_of(shape.tolerations.begin(), shape.tolerations.end(),
                     [&](const Toleration& t) { return Tolerates(t, taint); });
}

bool CordonTolerated(const Shape& shape) {
  static const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return ToleratesAny(shape, cordon);
}

const Taint* Untolerated(const NodeObject& node, const Shape& shape, FilterScope scope) {
  for (const Taint& taint : node.taints) {
    if (taint.effect == TaintEffect::kPreferNoSchedule) continue;
    if (scope == FilterScope::kEver && taint.key.starts_with(kHealthTaintPrefix)) continue;
    if (!ToleratesAny(shape, taint)) return &taint;
  }
  return nullptr;
}

std::string_view EffectName(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule:
      return "NoSchedule";
    case TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case TaintEffect::kNoExecute:
      return "NoExecute";
  }
  return "";
}

std::string RequirementText(const NodeRequirement& r) {
  const std::string values = fmt::format("{}", fmt::join(r.values, ","));
  switch (r.op) {
    case SelectorOp::kIn:
      return fmt::format("{} in ({})", r.key, values);
    case SelectorOp::kNotIn:
      return fmt::format("{} notin ({})", r.key, values);
    case SelectorOp::kExists:
      return r.key;
    case SelectorOp::kDoesNotExist:
      return "!" + r.key;
    case SelectorOp::kGt:
      return fmt::format("{} > {}", r.key, values);
    case SelectorOp::kLt:
      return fmt::format("{} < {}", r.key, values);
  }
  return "";
}

}  // namespace

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool Matches(const NodeRequirement& requirement, const NodeObject& node) {
  if (requirement.field) return FieldMatches(requirement, node);
  const auto it = node.labels.find(requirement.key);
  const bool present = it != node.labels.end();
  switch (requirement.op) {
    case SelectorOp::kIn:
      return present && Contains(requirement.values, it->second);
    case SelectorOp::kNotIn:
      return !present || !Contains(requirement.values, it->second);
    case SelectorOp::kExists:
      return present;
    case SelectorOp::kDoesNotExist:
      return !present;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      return present && ComparesAs(requirement, it->second);
  }
  return false;
}

std::optional<FilteredOut> FilterNode(const NodeObject& node, const Shape& shape,
                                      const LabelMap& node_scope, FilterScope scope) {
  if (scope == FilterScope::kNow) {
    if (!node.ready) return FilteredOut{ExclusionCause::kNotReady};
    if (node.unschedulable && !CordonTolerated(shape)) {
      return FilteredOut{ExclusionCause::kUnschedulable};
    }
  }
  if (const Taint* taint = Untolerated(node, shape, scope)) {
    return FilteredOut{ExclusionCause::kTaint, taint};
  }
  if (const auto* label = Missing(shape.node_selector, node.labels)) {
    return FilteredOut{ExclusionCause::kSelector, nullptr, label};
  }
  if (auto out = AffinityFails(shape, node)) return out;
  if (const auto* label = Missing(node_scope, node.labels)) {
    return FilteredOut{ExclusionCause::kOutOfScope, nullptr, label};
  }
  return std::nullopt;
}

std::string FilterDetail(const FilteredOut& out) {
  if (out.taint != nullptr) {
    const std::string value = out.taint->value.empty() ? "" : "=" + out.taint->value;
    return fmt::format("{}{}:{}", out.taint->key, value, EffectName(out.taint->effect));
  }
  if (out.label != nullptr) return fmt::format("{}={}", out.label->first, out.label->second);
  if (out.requirement != nullptr) {
    const std::string text = RequirementText(*out.requirement);
    const std::string& because = out.requirement->because;
    return because.empty() ? text : fmt::format("{} ({})", text, because);
  }
  return "";
}

}  // namespace phalanx

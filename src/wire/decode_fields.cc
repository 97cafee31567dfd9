#include "wire/decode_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

std::optional<SelectorOp> DecodeOperator(pb::NodeRequirement::Operator op) {
  switch (op) {
    case pb::NodeRequirement::OPERATOR_IN:
      return SelectorOp::kIn;
    case pb::NodeRequirement::OPERATOR_NOT_IN:
      return SelectorOp::kNotIn;
    case pb::NodeRequirement::OPERATOR_EXISTS:
      return SelectorOp::kExists;
    case pb::NodeRequirement::OPERATOR_DOES_NOT_EXIST:
      return SelectorOp::kDoesNotExist;
    case pb::NodeRequirement::OPERATOR_GT:
      return SelectorOp::kGt;
    case pb::NodeRequirement::OPERATOR_LT:
      return SelectorOp::kLt;
    default:
      return std::nullopt;
  }
}

// What is wrong with the values of a requirement, or nullptr.
const char* CheckValues(SelectorOp op, const NodeRequirement& requirement) {
  switch (op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      return requirement.values.empty() ? "at least one value for In and NotIn" : nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      return requirement.values.size() == 1 && ParseInt(requirement.values[0])
                 ? nullptr
                 : "one whole number for Gt and Lt";
    default:
      return requirement.values.empty() ? nullptr : "no value for Exists and DoesNotExist";
  }
}

std::optional<NodeRequirement> DecodeRequirement(const pb::NodeRequirement& message,
                                                 const std::string& field,
                                                 std::vector<Problem>& problems) {
  NodeRequirement out;
  out.key = message.key();
  out.field = message.field();
  out.values.assign(message.values().begin(), message.values().end());
  std::optional<SelectorOp> op = DecodeOperator(message.operator_());
  if (!op) {
    problems.push_back({field + ".operator", fmt::format("{}", int{message.operator_()}),
                        "a known operator: In, NotIn, Exists, DoesNotExist, Gt or Lt"});
    return std::nullopt;
  }
  out.op = *op;
  if (out.key.empty() || (out.field && out.key != "metadata.name")) {
    problems.push_back({field + ".key", Clip(out.key),
                        out.field ? "metadata.name, the only field" : "a node label key"});
    return std::nullopt;
  }
  if (const char* expected = CheckValues(*op, out)) {
    problems.push_back(
        {field + ".values", Clip(fmt::format("[{}]", fmt::join(out.values, ", "))), expected});
    return std::nullopt;
  }
  return out;
}

std::optional<Toleration> DecodeToleration(const pb::Toleration& message, const std::string& field,
                                           std::vector<Problem>& problems) {
  Toleration out{message.key(), false, message.value(), std::nullopt};
  if (message.operator_() == pb::Toleration::OPERATOR_EXISTS) {
    out.exists = true;
  } else if (message.operator_() != pb::Toleration::OPERATOR_EQUAL) {
    problems.push_back({field + ".operator", fmt::format("{}", int{message.operator_()}),
                        "a known operator: Equal or Exists"});
    return std::nullopt;
  }
  if (message.effect() == pb::Taint::EFFECT_UNSPECIFIED) return out;
  out.effect = DecodeEffect(message.effect());
  if (out.effect) return out;
  problems.push_back({field + ".effect", fmt::format("{}", int{message.effect()}),
                      "a known effect: NoSchedule, PreferNoSchedule or NoExecute"});
  return std::nullopt;
}

}  // namespace

LabelMap DecodeMap(const PbMap& map) { return LabelMap(map.begin(), map.end()); }

QuantityMap DecodeQuantities(const PbQuantities& map, const std::string& field, TooLarge too_large,
                             std::vector<Problem>& problems) {
  QuantityMap out;
  std::vector<Problem> found;
  for (const auto& [name, quantity] : map) {
    bool in_range = quantity >= 0 && quantity <= kMaxQuantity;
    if (in_range && !name.empty()) {
      out[name] = quantity;
      continue;
    }
    found.push_back({fmt::format("{}[{}]", field, Clip(name)), fmt::format("{}", quantity),
                     in_range ? std::string("the name of a resource")
                              : fmt::format("a whole number from 0 to {}", kMaxQuantity)});
    if (quantity > kMaxQuantity && too_large == TooLarge::kClamp) out[name] = kMaxQuantity;
  }
  // A protobuf map has no order, problems have one.
  std::sort(found.begin(), found.end());
  problems.insert(problems.end(), found.begin(), found.end());
  return out;
}

std::optional<TaintEffect> DecodeEffect(pb::Taint::Effect effect) {
  switch (effect) {
    case pb::Taint::EFFECT_NO_SCHEDULE:
      return TaintEffect::kNoSchedule;
    case pb::Taint::EFFECT_PREFER_NO_SCHEDULE:
      return TaintEffect::kPreferNoSchedule;
    case pb::Taint::EFFECT_NO_EXECUTE:
      return TaintEffect::kNoExecute;
    default:
      return std::nullopt;
  }
}

std::vector<Toleration> DecodeTolerations(const pb::Pod& pod, std::vector<Problem>& problems) {
  std::vector<Toleration> out;
  for (int i = 0; i < pod.tolerations_size(); ++i) {
    auto toleration =
        DecodeToleration(pod.tolerations(i), fmt::format("spec.tolerations[{}]", i), problems);
    if (toleration) out.push_back(*std::move(toleration));
  }
  return out;
}

std::vector<NodeSelectorTerm> DecodeTerms(const pb::Pod& pod, std::vector<Problem>& problems) {
  std::vector<NodeSelectorTerm> out;
  for (int i = 0; i < pod.required_node_terms_size(); ++i) {
    NodeSelectorTerm term;
    const auto& requirements = pod.required_node_terms(i).requirements();
    for (int j = 0; j < requirements.size(); ++j) {
      auto requirement = DecodeRequirement(
          requirements[j], fmt::format("spec.affinity.nodeAffinity.required[{}][{}]", i, j),
          problems);
      if (requirement) term.push_back(*std::move(requirement));
    }
    if (!term.empty()) out.push_back(std::move(term));
  }
  // To Kubernetes a term without requirements matches no node; here no term means no constraint.
  if (out.empty() && pod.required_node_terms_size() > 0) {
    problems.push_back({"spec.affinity.nodeAffinity.required", "no term with a requirement",
                        "at least one term that can match a node"});
  }
  return out;
}

}  // namespace phalanx::wire

// Which nodes a pod may go to: what nodes say against pods, and pods about nodes.
#ifndef PHALANX_NODE_RULES_H_
#define PHALANX_NODE_RULES_H_

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace phalanx {

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;

  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
  std::string key;  // empty with `exists`: tolerates every taint
  bool exists = false;
  std::string value;
  std::optional<TaintEffect> effect;  // absent: every effect

  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

enum class SelectorOp { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct NodeRequirement {
  std::string key;  // label key; "metadata.name" when `field`
  SelectorOp op = SelectorOp::kExists;
  std::vector<std::string> values;
  bool field = false;
  // What the author wrote that it stands for: "min-device-memory 80G"; empty: itself.
  std::string because = {};

  friend auto operator<=>(const NodeRequirement&, const NodeRequirement&) = default;
};

using NodeSelectorTerm = std::vector<NodeRequirement>;  // all hold

}  // namespace phalanx

#endif  // PHALANX_NODE_RULES_H_

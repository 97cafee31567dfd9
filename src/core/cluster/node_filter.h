// Whether a node may take members of a shape at all, whatever room it has: Kubernetes' own rules
// for taints, cordons, node selectors and required node affinity, plus readiness and our scope.
//
// Rules: a required term matches when all of its requirements hold, and an empty term matches
// nothing; one matching term is enough. NotIn and DoesNotExist hold for an absent label; Gt and Lt
// need whole numbers on both sides. PreferNoSchedule keeps nobody away. A cordoned node takes only
// pods that tolerate the taint node.kubernetes.io/unschedulable:NoSchedule.
#ifndef PHALANX_CORE_CLUSTER_NODE_FILTER_H_
#define PHALANX_CORE_CLUSTER_NODE_FILTER_H_

#include <compare>
#include <optional>
#include <string>

#include "core/cluster/shapes.h"
#include "phalanx/objects.h"
#include "phalanx/verdict.h"

namespace phalanx {

enum class FilterScope {
  kNow,   // everything
  kEver,  // without what passes by itself: readiness, cordons, taints "node.kubernetes.io/..."
};

// The first thing that keeps `shape` away from `node`, in the order of ExclusionCause. The
// pointers refer into the arguments; at most one is set.
struct FilteredOut {
  ExclusionCause cause;
  const Taint* taint = nullptr;
  const LabelMap::value_type* label = nullptr;  // of a node selector or of the scope
  const NodeRequirement* requirement = nullptr;

  friend auto operator<=>(const FilteredOut&, const FilteredOut&) = default;
};

// nullopt: the node may take members. Allocates nothing.
std::optional<FilteredOut> FilterNode(const NodeObject& node, const Shape& shape,
                                      const LabelMap& node_scope, FilterScope scope);

// What the node fails, as Kubernetes writes it: "gpu=true:NoSchedule", "disk=ssd", "zone in (a,b)".
std::string FilterDetail(const FilteredOut& out);

// The two rules by themselves.
bool Tolerates(const Toleration& toleration, const Taint& taint);
bool Matches(const NodeRequirement& requirement, const NodeObject& node);

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_NODE_FILTER_H_

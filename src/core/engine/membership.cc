#include <fmt/format.h>

#include <algorithm>

#include "core/engine/inputs.h"

namespace phalanx {
namespace {

Membership GangOfOne(const PodObject& pod) {
  Membership one;
  one.gang = {pod.ns, "pod", pod.name};
  return one;
}

// Readers of dialects check more; this is what the engine itself relies on.
void CheckBounds(Membership* says) {
  if (says->problems.empty() && (says->size < 1 || says->size > kMaxGangSize)) {
    says->problems.push_back({"gang size", fmt::to_string(says->size),
                              fmt::format("a whole number from 1 to {}", kMaxGangSize)});
  }
  if (says->problems.empty() && (says->min < 1 || says->min > says->size)) {
    says->problems.push_back({"gang minimum", fmt::to_string(says->min),
                              fmt::format("a whole number from 1 to the size, {}", says->size)});
  }
  says->size = std::clamp(says->size, 1, kMaxGangSize);
  says->min = std::clamp(says->min, 1, says->size);
}

}  // namespace

std::optional<Membership> MembershipOf(const State& state, const PodObject& pod) {
  if (!pod.ours) return std::nullopt;
  if (!pod.membership) {
    if (!state.accelerators.AnyIn(pod.requests)) return std::nullopt;
    return GangOfOne(pod);
  }
  Membership says = *pod.membership;
  if (says.gang.ns != pod.ns) {
    says.problems.push_back(
        {"gang namespace", says.gang.ns, fmt::format("the namespace of the pod, {}", pod.ns)});
    says.gang.ns = pod.ns;
  }
  CheckBounds(&says);
  return says;
}

}  // namespace phalanx

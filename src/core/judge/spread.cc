#include "core/judge/spread.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "core/judge/places.h"

namespace phalanx::judge {
namespace {

using Domain = Places::Domain;

// Members that ask for the same are one role.
using Role = std::tuple<QuantityMap, LabelMap, std::vector<NodeSelectorTerm>,
                        std::vector<Toleration>, Spread>;

Role RoleOf(const PodObject& pod) {
  return {pod.requests, pod.node_selector, pod.required_terms, pod.tolerations,
          pod.membership->spread};
}

struct Count {
  int32_t placed = 0;  // now
  int32_t bound = 0;   // before
};
using Counts = std::map<Role, std::map<Domain, Count>>;

void CheckRole(const Spread& spread, const std::map<Domain, Count>& members, bool starts,
               std::vector<std::string>& wrong) {
  for (const auto& [domain, count] : members) {
    if (count.placed == 0) continue;
    const int32_t all = count.placed + count.bound;
    if (spread.at_most > 0 && all > spread.at_most) {
      wrong.push_back(fmt::format("{} {} has {} members, at most {} may be there", spread.level,
                                  domain.back(), all, spread.at_most));
    }
    if (starts && all < spread.at_least) {
      wrong.push_back(fmt::format("{} {} has {} members, at least {} must be there", spread.level,
                                  domain.back(), all, spread.at_least));
    }
  }
}

// Of the rules for kube-scheduler only this one is followed without exception.
bool IsJudged(const Spread& spread) {
  return spread.by == SpreadBy::kAuthor ||
         (spread.by == SpreadBy::kApart && spread.level == "kubernetes.io/hostname");
}

}  // namespace

std::vector<std::string> CheckSpread(const World& world, const std::vector<Assignment>& gang,
                                     const std::vector<Assignment>& bound) {
  std::vector<std::string> wrong;
  const Places places(world);
  Counts counts;
  const auto count = [&](const Assignment& member, int32_t Count::*which) {
    const PodObject& pod = member.pod;
    if (!pod.membership || pod.membership->spread.level.empty()) return;
    if (!IsJudged(pod.membership->spread)) return;
    const std::string& level = pod.membership->spread.level;
    if (const auto domain = places.DomainOf(member.node, level)) {
      ++(counts[RoleOf(pod)][*domain].*which);
    } else if (which == &Count::placed) {
      wrong.push_back(fmt::format("{}/{}: {} is in no {}", pod.ns, pod.name, member.node, level));
    }
  };
  for (const Assignment& member : gang) count(member, &Count::placed);
  for (const Assignment& member : bound) count(member, &Count::bound);
  for (const auto& [role, members] : counts) {
    CheckRole(std::get<Spread>(role), members, bound.empty(), wrong);
  }
  return wrong;
}

}  // namespace phalanx::judge

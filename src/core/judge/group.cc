#include "core/judge/group.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "core/judge/places.h"

namespace phalanx::judge {
namespace {

bool SameGroup(const PodObject& a, const PodObject& b) {
  return a.ns == b.ns && a.membership && b.membership && !a.membership->group.name.empty() &&
         a.membership->group.name == b.membership->group.name;
}

}  // namespace

std::vector<std::string> CheckGroup(const World& world, const std::vector<Assignment>& gang,
                                    const std::vector<Assignment>& others) {
  std::vector<std::string> wrong;
  const Places places(world);
  for (const Assignment& member : gang) {
    if (!member.pod.membership) continue;
    const Group& group = member.pod.membership->group;
    if (group.name.empty() || group.required_level.empty()) continue;
    std::set<std::optional<Places::Domain>> domains = {
        places.DomainOf(member.node, group.required_level)};
    for (const auto* list : {&gang, &others}) {
      for (const Assignment& other : *list) {
        if (!SameGroup(member.pod, other.pod)) continue;
        domains.insert(places.DomainOf(other.node, group.required_level));
      }
    }
    if (domains.size() == 1 && domains.begin()->has_value()) continue;
    wrong.push_back(fmt::format("{}/{} is not in one {} with its group {}", member.pod.ns,
                                member.pod.name, group.required_level, group.name));
  }
  return wrong;
}

}  // namespace phalanx::judge

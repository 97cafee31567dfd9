#include "core/judge/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/judge/levels.h"

namespace phalanx::judge {
namespace {

using Group = std::vector<const Assignment*>;

// Members that ask for the same are one role.
auto RoleOf(const Assignment& member) {
  const PodObject& pod = member.pod;
  return std::tie(pod.requests, pod.node_selector, pod.required_terms, pod.tolerations,
                  pod.membership->segment);
}

std::vector<Group> RolesOf(const std::vector<Assignment>& gang) {
  std::vector<Group> roles;
  for (const Assignment& member : gang) {
    if (!member.pod.membership || member.pod.membership->segment.size == 1) continue;
    const auto same = std::find_if(roles.begin(), roles.end(), [&](const Group& role) {
      return RoleOf(*role.front()) == RoleOf(member);
    });
    if (same == roles.end()) {
      roles.push_back({&member});
    } else {
      same->push_back(&member);
    }
  }
  for (Group& role : roles) {
    std::sort(role.begin(), role.end(),
              [](const Assignment* a, const Assignment* b) { return a->rank < b->rank; });
  }
  return roles;
}

// nullopt: the node is in no domain of the level, or is not there.
std::optional<std::vector<std::string>> DomainOf(const World& world, const Levels& levels,
                                                 const std::string& node,
                                                 const std::string& level) {
  if (level == "host" || level == "kubernetes.io/hostname") return std::vector{node};
  for (const NodeObject& object : world.nodes) {
    if (object.name == node) return levels.DomainOf(object, level);
  }
  return std::nullopt;
}

void CheckRole(const World& world, const Levels& levels, const Group& role,
               std::vector<std::string>& wrong) {
  const Segment& segment = role.front()->pod.membership->segment;
  const auto size = static_cast<size_t>(segment.size);
  if (role.size() % size != 0) {
    wrong.push_back(fmt::format("{} members are no whole segments of {}", role.size(), size));
  }
  if (segment.required_level.empty()) return;
  for (size_t first = 0; first < role.size(); first += size) {
    std::set<std::optional<std::vector<std::string>>> domains;
    for (size_t i = first; i < std::min(first + size, role.size()); ++i) {
      domains.insert(DomainOf(world, levels, role[i]->node, segment.required_level));
    }
    if (domains.size() == 1 && domains.begin()->has_value()) continue;
    wrong.push_back(fmt::format("the segment of {} members from rank {} on is not in one {}", size,
                                role[first]->rank, segment.required_level));
  }
}

}  // namespace

std::vector<std::string> CheckSegments(const World& world, const std::vector<Assignment>& gang) {
  std::vector<std::string> wrong;
  const Levels levels(world.nodes, world.topologies);
  for (const Group& role : RolesOf(gang)) CheckRole(world, levels, role, wrong);
  return wrong;
}

}  // namespace phalanx::judge

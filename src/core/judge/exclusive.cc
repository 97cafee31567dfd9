#include "core/judge/exclusive.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "core/judge/places.h"

namespace phalanx::judge {
namespace {

std::string Name(const Assignment& member) {
  return fmt::format("{}/{}", member.pod.ns, member.pod.name);
}

std::string LevelOf(const Assignment& member) {
  return member.pod.membership ? member.pod.membership->exclusive_level : "";
}

// Members of `who`, which may share no domain of their level, are in none with `whom`.
void CheckApart(const Places& places, const std::vector<Assignment>& who,
                const std::vector<Assignment>& whom, std::vector<std::string>& wrong) {
  // By level and domain, somebody who is there.
  std::map<std::pair<std::string, Places::Domain>, const Assignment*> there;
  for (const Assignment& member : who) {
    const std::string level = LevelOf(member);
    if (level.empty()) continue;
    if (auto domain = places.DomainOf(member.node, level)) {
      there.emplace(std::pair(level, std::move(*domain)), &member);
    }
  }
  std::set<std::string> levels;
  for (const auto& [where, member] : there) levels.insert(where.first);
  for (const Assignment& member : whom) {
    for (const std::string& level : levels) {
      const auto domain = places.DomainOf(member.node, level);
      const auto found = domain ? there.find({level, *domain}) : there.end();
      if (found == there.end()) continue;
      wrong.push_back(fmt::format("{} and {} are in one {}, which one of them may not share",
                                  Name(*found->second), Name(member), level));
    }
  }
}

}  // namespace

std::vector<std::string> CheckExclusive(const World& world, const std::vector<Assignment>& gang,
                                        const std::vector<Assignment>& others) {
  std::vector<std::string> wrong;
  const Places places(world);
  for (const Assignment& member : gang) {
    const std::string level = LevelOf(member);
    if (level.empty() || places.DomainOf(member.node, level)) continue;
    wrong.push_back(fmt::format("{}: {} is in no {}, which it may not share", Name(member),
                                member.node, level));
  }
  CheckApart(places, gang, others, wrong);
  CheckApart(places, others, gang, wrong);
  return wrong;
}

}  // namespace phalanx::judge

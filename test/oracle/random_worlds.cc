#include "oracle/random_worlds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/judge/levels.h"

namespace phalanx::oracle {
namespace {

// Names are dealt so that their order is not the order of arrival.
template <class Labels>
SmallWorld Hosts(Random& random, int64_t most, const Labels& labels) {
  SmallWorld world;
  const int64_t hosts = Between(random, Chance(random, 20) ? 1 : most / 2, most);
  const int64_t most_used = Between(random, 0, 4);
  for (int64_t i = 0; i < hosts; ++i) {
    world.AddHost(fmt::format("h{}", (i * 7 + 3) % 13), labels(random), 4,
                  Between(random, 0, most_used));
    if (Chance(random, 6)) world.nodes.back().unschedulable = true;
    if (Chance(random, 6)) world.nodes.back().ready = false;
  }
  return world;
}

LabelMap TwoTreeLabels(Random& random) {
  LabelMap labels;
  if (Chance(random, 80)) labels[kZoneKey] = Chance(random, 80) ? "z1" : "z2";
  if (Chance(random, 90)) labels[kTierKey] = fmt::format("l{}", Between(random, 1, 2));
  if (Chance(random, 90)) labels[kNvlinkKey] = fmt::format("n{}", Between(random, 1, 3));
  if (Chance(random, 50)) labels["model"] = "h100";
  return labels;
}

std::vector<WorldLevel> LevelsOf(const std::vector<NodeObject>& nodes) {
  const std::map<std::string, std::string> keys = {
      {"zone", kZoneKey}, {"leaf", kTierKey}, {"nvlink", kNvlinkKey}};
  std::vector<WorldLevel> out;
  for (const std::string& name : judge::Levels(nodes, {}).Names()) {
    out.push_back({name, keys.at(name)});
  }
  return out;
}

std::string AnyLevel(Random& random, const SmallWorld& world) {
  const auto chosen = static_cast<size_t>(Between(random, 0, std::ssize(world.levels)));
  return chosen < world.levels.size() ? world.levels[chosen].name : "host";
}

}  // namespace

int64_t Between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

bool Chance(Random& random, int percent) { return Between(random, 1, 100) <= percent; }

LabelMap RandomLabels(Random& random) {
  LabelMap labels;
  // Few values, so that a value stands under several parents and is a domain under each.
  for (const char* key : {kZoneKey, kLeafKey, kRackKey}) {
    if (!Chance(random, 15)) labels[key] = fmt::format("v{}", Between(random, 1, 2));
  }
  if (Chance(random, 50)) labels["model"] = "h100";
  return labels;
}

SmallWorld RandomHosts(Random& random, int64_t most) {
  SmallWorld world = Hosts(random, most, RandomLabels);
  if (Chance(random, 50)) world.required = AnyLevel(random, world);
  return world;
}

SmallWorld RandomTwoTrees(Random& random, int64_t most) {
  SmallWorld world = Hosts(random, most, TwoTreeLabels);
  world.levels = LevelsOf(world.nodes);
  if (Chance(random, 50)) world.required = AnyLevel(random, world);
  return world;
}

Role RandomRole(Random& random, int32_t most) {
  Role role;
  role.requests[kGpu] = Chance(random, 60) ? 1 : 2;
  if (Chance(random, 40)) role.requests[kCpu] = Between(random, 3, 6);
  if (Chance(random, 25)) role.node_selector["model"] = "h100";
  role.count = static_cast<int32_t>(Between(random, 1, most));
  return role;
}

Segment RandomSegment(Random& random, const SmallWorld& world) {
  Segment segment;
  segment.size = static_cast<int32_t>(Between(random, 2, 3));
  if (Chance(random, 80)) segment.required_level = AnyLevel(random, world);
  if (Chance(random, 80)) segment.preferred_level = AnyLevel(random, world);
  if (Chance(random, 10)) segment.preferred_level = "spine";  // which no node has
  return segment;
}

Spread RandomSpread(Random& random, const SmallWorld& world) {
  Spread spread;
  spread.level = Chance(random, 4) ? "spine" : AnyLevel(random, world);  // no node has a spine
  const bool least = Chance(random, 70);
  if (least) spread.at_least = static_cast<int32_t>(Between(random, 2, 4));
  if (!least || Chance(random, 60)) {
    spread.at_most = spread.at_least + static_cast<int32_t>(Between(random, 0, 3));
  }
  return spread;
}

void AddTwoRoles(Random& random, int32_t most, bool segments, SmallWorld& world) {
  for (int role = 0; role < 2; ++role) {
    world.roles.push_back(RandomRole(random, most));
    if (!segments || !Chance(random, 70)) continue;
    world.roles.back().segment = RandomSegment(random, world);
    const int32_t size = world.roles.back().segment.size;
    world.roles.back().count = size * static_cast<int32_t>(Between(random, 1, most / size));
  }
  world.roles[1].requests[kCpu] = 2;  // never the same shape as the first
}

}  // namespace phalanx::oracle

#include "core/judge/judge.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "core/judge/admission.h"
#include "core/judge/levels.h"
#include "phalanx/device_share.h"

namespace phalanx::judge {
namespace {

__extension__ using Sum = __int128;

std::string Name(const PodObject& pod) { return pod.ns + "/" + pod.name; }

const NodeObject* FindNode(const World& world, const std::string& name) {
  for (const NodeObject& node : world.nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

void CheckNodes(const World& world, const std::vector<Assignment>& gang,
                std::vector<std::string>& wrong) {
  for (const Assignment& member : gang) {
    const NodeObject* node = FindNode(world, member.node);
    if (node == nullptr) {
      wrong.push_back(fmt::format("{}: there is no node '{}'", Name(member.pod), member.node));
      continue;
    }
    for (const std::string& objection : Objections(*node, member.pod, world.node_scope)) {
      wrong.push_back(fmt::format("{} on {}: {}", Name(member.pod), member.node, objection));
    }
  }
}

// What an amount of a resource takes, in thousandths of the resource that a node has: a part of a
// device counts towards that device.
struct Part {
  std::string resource;
  Sum milli;
};
Part PartOf(const std::string& resource, int64_t amount) {
  if (resource.starts_with(kShareOf)) return {resource.substr(kShareOf.size()), amount};
  return {resource, Sum{amount} * 1000};
}

// Only what the gang asks for: a node that was too full before is no fault of the placement, unless
// it adds to that. Of parts the sum counts; which device each is of is not looked at.
void CheckRoom(const World& world, const std::vector<Assignment>& gang,
               std::vector<std::string>& wrong) {
  std::map<std::string, std::map<std::string, Sum>> asked;
  for (const Assignment& member : gang) {
    for (const auto& [resource, amount] : member.pod.requests) {
      const Part part = PartOf(resource, amount);
      if (amount > 0 && !IsSharedPool(resource)) asked[member.node][part.resource] += part.milli;
    }
  }
  for (const Occupant& occupant : world.occupants) {
    const auto node = asked.find(occupant.node);
    if (node == asked.end()) continue;
    for (const auto& [resource, amount] : occupant.requests) {
      const Part part = PartOf(resource, amount);
      const auto sum = node->second.find(part.resource);
      if (sum != node->second.end()) sum->second += part.milli;
    }
  }
  for (const auto& [name, sums] : asked) {
    const NodeObject* node = FindNode(world, name);
    if (node == nullptr) continue;
    for (const auto& [resource, sum] : sums) {
      const auto has = node->allocatable.find(resource);
      int64_t allocatable = has == node->allocatable.end() ? 0 : has->second;
      if (resource.rfind("host-port/", 0) == 0) allocatable = 1;
      const Sum above = sum - Sum{allocatable} * 1000;
      if (above > 0) {
        wrong.push_back(fmt::format("{}: {} is overcommitted, {} above {}", name, resource,
                                    static_cast<int64_t>((above + 999) / 1000), allocatable));
      }
    }
  }
}

// What nodes share counts in all, wherever its pods are.
void CheckPools(const World& world, const std::vector<Assignment>& gang,
                std::vector<std::string>& wrong) {
  std::map<std::string, Sum> sums;
  for (const Assignment& member : gang) {
    for (const auto& [resource, amount] : member.pod.requests) {
      if (amount > 0 && IsSharedPool(resource)) sums[resource] += amount;
    }
  }
  for (auto& [resource, sum] : sums) {
    for (const Occupant& occupant : world.occupants) {
      const auto it = occupant.requests.find(resource);
      if (it != occupant.requests.end()) sum += it->second;
    }
    std::optional<int64_t> least;
    for (const DeclaredTopology& topology : world.topologies) {
      for (const SharedPool& pool : topology.pools) {
        if (resource != std::string(kSharedPool) + pool.name) continue;
        least = std::min(least.value_or(pool.capacity), pool.capacity);
      }
    }
    if (least && sum <= *least) continue;
    wrong.push_back(fmt::format("{} is overcommitted: {} of {}", resource,
                                static_cast<int64_t>(sum), least.value_or(0)));
  }
}

bool IsHostLevel(const std::string& level) {
  return level == "host" || level == "kubernetes.io/hostname";
}

void CheckLevel(const World& world, const std::vector<Assignment>& gang, const std::string& level,
                std::vector<std::string>& wrong) {
  const Levels levels(world.nodes, world.topologies);
  if (!IsHostLevel(level) && !levels.Known(level)) {
    wrong.push_back(fmt::format("no node has the required level {}", level));
    return;
  }
  std::set<std::vector<std::string>> domains;
  for (const Assignment& member : gang) {
    const NodeObject* node = FindNode(world, member.node);
    if (node == nullptr) continue;
    const auto domain =
        IsHostLevel(level) ? std::optional(std::vector{node->name}) : levels.DomainOf(*node, level);
    if (domain) {
      domains.insert(*domain);
    } else {
      wrong.push_back(fmt::format("{}: {} is in no {}", Name(member.pod), node->name, level));
    }
  }
  if (domains.size() > 1) {
    wrong.push_back(fmt::format("the members are in {} domains of the required level {}",
                                domains.size(), level));
  }
}

}  // namespace

std::vector<DeclaredTopology> TopologiesOf(const std::map<ObjectKey, ApiObject>& objects) {
  std::vector<DeclaredTopology> out;
  for (const auto& [key, object] : objects) {
    const auto* topology = std::get_if<DeclaredTopology>(&object.body);
    if (topology != nullptr) out.push_back(*topology);
  }
  return out;
}

std::vector<std::string> CheckPlacement(const World& world, const std::vector<Assignment>& gang) {
  std::vector<std::string> wrong;
  CheckNodes(world, gang, wrong);
  CheckRoom(world, gang, wrong);
  CheckPools(world, gang, wrong);
  std::set<std::string> required;
  for (const Assignment& member : gang) {
    if (member.pod.membership && !member.pod.membership->required_level.empty()) {
      required.insert(member.pod.membership->required_level);
    }
  }
  for (const std::string& level : required) CheckLevel(world, gang, level, wrong);
  return wrong;
}

}  // namespace phalanx::judge

#include "oracle/small_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/judge/segments.h"
#include "core/judge/spread.h"
#include "core/plan/assign.h"

namespace phalanx::oracle {

ShapeId InternRole(Cluster& cluster, const Role& role) {
  Shape shape;
  shape.request = Resources::From(role.requests, cluster.resources());
  shape.node_selector = role.node_selector;
  shape.segment = role.segment;
  shape.spread = role.spread;
  return cluster.shapes().Intern(std::move(shape));
}

void SmallWorld::AddHost(const std::string& name, const LabelMap& labels, int64_t gpus,
                         int64_t used) {
  NodeObject node;
  node.name = name;
  node.uid = "uid-" + name;
  node.labels = labels;
  node.allocatable = {{kGpu, gpus}, {kCpu, 10}};
  nodes.push_back(std::move(node));
  if (used > 0) occupants.push_back({name, {{kGpu, used}}});
}

std::string SmallWorld::Describe() const {
  std::string out = fmt::format("required '{}'\n", required);
  for (const Role& role : roles) {
    out += fmt::format("role x{}:", role.count);
    for (const auto& [resource, amount] : role.requests)
      out += fmt::format(" {}={}", resource, amount);
    for (const auto& [key, value] : role.node_selector) out += fmt::format(" {}:{}", key, value);
    if (role.segment.size > 1) {
      out += fmt::format(" segments of {}, required '{}', preferred '{}'", role.segment.size,
                         role.segment.required_level, role.segment.preferred_level);
    }
    if (!role.spread.level.empty()) {
      out += fmt::format(" {} to {} in one {}{}", role.spread.at_least, role.spread.at_most,
                         role.spread.level, role.spread.evenly ? ", evenly" : "");
    }
    out += "\n";
  }
  for (const NodeObject& node : nodes) {
    out += fmt::format("{}{}{}:", node.name, node.ready ? "" : " NotReady",
                       node.unschedulable ? " cordoned" : "");
    for (const auto& [key, value] : node.labels) out += fmt::format(" {}={}", key, value);
    for (const auto& [key, value] : node.allocatable) out += fmt::format(" {}={}", key, value);
    for (const judge::Occupant& occupant : occupants) {
      if (occupant.node != node.name) continue;
      for (const auto& [key, value] : occupant.requests) out += fmt::format(" {}-={}", key, value);
    }
    out += "\n";
  }
  return out;
}

std::map<std::string, std::vector<int32_t>> Searched::Members() const {
  std::map<std::string, std::vector<int32_t>> out;
  if (answer.placement() == nullptr) return out;
  for (const SlotsOnHost& slot : answer.placement()->slots) {
    auto& counts = out[cluster->topology().host(slot.host).name];
    counts.resize(request.roles.size());
    for (size_t i = 0; i < request.roles.size(); ++i) {
      if (request.roles[i].shape == slot.shape) counts[i] += slot.count;
    }
  }
  return out;
}

Searched Search(const SmallWorld& world) {
  Searched out;
  out.cluster = std::make_unique<Cluster>();
  for (const NodeObject& node : world.nodes) out.cluster->UpsertNode(node);
  uint32_t pod = 0;
  for (const judge::Occupant& occupant : world.occupants) {
    out.cluster->ledger().Book(PodId(pod++), out.cluster->NodeForName(occupant.node),
                               BookingKind::kBound,
                               Resources::From(occupant.requests, out.cluster->resources()));
  }
  out.cluster->RefreshTopology();
  for (const Role& role : world.roles) {
    out.request.roles.push_back({InternRole(*out.cluster, role), role.count});
  }
  out.request.required_level = world.required;
  out.answer = Place(*out.cluster, out.request);
  return out;
}

std::vector<std::string> Judge(const SmallWorld& world, const Searched& searched) {
  if (searched.answer.placement() == nullptr) return {};
  std::vector<judge::Assignment> gang;
  std::vector<int32_t> placed(world.roles.size(), 0);
  for (size_t role = 0; role < world.roles.size(); ++role) {
    const std::vector<ShapeId> shapes(static_cast<size_t>(world.roles[role].count),
                                      searched.request.roles[role].shape);
    for (const HostId host : AssignHosts(shapes, *searched.answer.placement())) {
      judge::Assignment member;
      member.node = searched.cluster->topology().host(host).name;
      member.rank = static_cast<int32_t>(gang.size());
      member.pod.name = fmt::format("m{}-{}", role, placed[role]++);
      member.pod.requests = world.roles[role].requests;
      member.pod.node_selector = world.roles[role].node_selector;
      member.pod.membership.emplace().required_level = world.required;
      member.pod.membership->segment = world.roles[role].segment;
      member.pod.membership->spread = world.roles[role].spread;
      gang.push_back(std::move(member));
    }
  }
  const judge::World judged{world.nodes, world.occupants, {}};
  std::vector<std::string> wrong = judge::CheckPlacement(judged, gang);
  for (std::string& segment : judge::CheckSegments(judged, gang)) {
    wrong.push_back(std::move(segment));
  }
  for (std::string& spread : judge::CheckSpread(judged, gang)) wrong.push_back(std::move(spread));
  for (size_t role = 0; role < world.roles.size(); ++role) {
    if (placed[role] == world.roles[role].count) continue;
    wrong.push_back(fmt::format("role {}: {} of {} members placed", role, placed[role],
                                world.roles[role].count));
  }
  return wrong;
}

SmallWorld Shuffled(const SmallWorld& world, std::mt19937_64& random) {
  SmallWorld out = world;
  std::shuffle(out.nodes.begin(), out.nodes.end(), random);
  std::shuffle(out.occupants.begin(), out.occupants.end(), random);
  std::shuffle(out.roles.begin(), out.roles.end(), random);
  return out;
}

}  // namespace phalanx::oracle

#include "sim/place/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "core/cluster/pools.h"
#include "core/engine/roster.h"
#include "core/plan/target_mix.h"
#include "sim/pod_object.h"
#include "sim/text.h"
#include "sim/world.h"
#include "wire/text.h"

namespace phalanx::sim {
namespace {

// What happens before the gang is complete, without the gang.
struct Before {
  Scenario scenario;
  Duration at;
  std::vector<PodSpec> pods;  // of the gang
};

Before SplitOff(const Scenario& scenario, const std::string& group) {
  Before before{scenario, {}, {}};
  std::vector<Action>& actions = before.scenario.actions;
  const auto ours = [&group](const Action& action) {
    const auto* create = std::get_if<CreatePod>(&action.what);
    return create != nullptr && create->spec.group == group;
  };
  const auto last = std::find_if(actions.rbegin(), actions.rend(), ours);
  if (last == actions.rend()) return before;
  before.at = last->at;
  actions.erase(last.base(), actions.end());
  for (const Action& action : actions) {
    if (ours(action)) before.pods.push_back(std::get<CreatePod>(action.what).spec);
  }
  std::erase_if(actions, ours);
  return before;
}

// What keeps the brain from looking for a place; empty if nothing does.
std::string WhyNotPlanned(const PodObject& pod, const PodObject& first) {
  const std::string name = pod.ns + "/" + pod.name;
  if (!pod.node.empty()) {
    return fmt::format("pod {}: node is '{}', expected a member that is not bound yet", name,
                       pod.node);
  }
  if (!pod.membership) {
    return fmt::format("pod {}: names no gang and asks for no accelerator, expected a member",
                       name);
  }
  if (!pod.membership->problems.empty()) {
    const Problem& problem = pod.membership->problems.front();
    return fmt::format("pod {}: {} is '{}', expected {}", name, problem.field, problem.value,
                       problem.expected);
  }
  const std::string& exclusive = pod.membership->exclusive_level;
  const std::string& group = pod.membership->group.name;
  if (!exclusive.empty() || !group.empty()) {
    return fmt::format("pod {}: the {} is '{}', expected none: other gangs are not looked at", name,
                       group.empty() ? "exclusive level" : "group",
                       group.empty() ? exclusive : group);
  }
  const auto differs = [&](const char* field, const std::string& here, const std::string& there) {
    return fmt::format("pod {}: {} is '{}', expected '{}' as of pod {}/{}", name, field, here,
                       there, first.ns, first.name);
  };
  const Membership& mine = *pod.membership;
  const Membership& its = *first.membership;
  if (mine.required_level != its.required_level) {
    return differs("the required level", mine.required_level, its.required_level);
  }
  if (mine.preferred_level != its.preferred_level) {
    return differs("the preferred level", mine.preferred_level, its.preferred_level);
  }
  return "";
}

std::vector<PodObject> MembersOf(const std::vector<PodSpec>& pods,
                                 const std::vector<std::string>& accelerators) {
  std::vector<PodObject> members;
  for (const PodSpec& spec : pods) {
    ApiPod pod{.spec = spec, .uid = spec.name, .name = spec.name};
    members.push_back(ToPodObject(pod, accelerators));
  }
  // Members that can not be read have no rank; they are refused in the order of the file.
  const auto readable = [](const PodObject& pod) { return pod.membership.has_value(); };
  if (!std::all_of(members.begin(), members.end(), readable)) return members;
  std::sort(members.begin(), members.end(),
            [](const PodObject& a, const PodObject& b) { return KeyOf(a) < KeyOf(b); });
  return members;
}

// The least members that may start; 0 with the reason in `error` if there are fewer.
size_t FewestOf(const PlaceQuestion& question, const Mirror& mirror, std::string& error) {
  const Membership& membership = *question.members.front().membership;
  int64_t least = membership.min;
  if (membership.sized_by_object) {
    const auto object = mirror.objects().find(*membership.terms_object);
    if (object == mirror.objects().end()) {
      error = fmt::format("its members name the {}, expected one that is there when they come",
                          ToString(*membership.terms_object));
      return 0;
    }
    if (!object->second.problems.empty()) {
      const Problem& problem = object->second.problems.front();
      error = fmt::format("{}: {} is '{}', expected {}", ToString(*membership.terms_object),
                          problem.field, problem.value, problem.expected);
      return 0;
    }
    least = std::get<GangTerms>(object->second.body).min;
  }
  const int64_t segment = membership.segment.size;
  least = (std::max<int64_t>(least, 1) + segment - 1) / segment * segment;
  if (least <= std::ssize(question.members)) return static_cast<size_t>(least);
  error = fmt::format("has {} members in the file, expected at least {}", question.members.size(),
                      least);
  return 0;
}

ShapeId ShapeOf(Cluster& cluster, const PodObject& pod) {
  return cluster.shapes().Intern(
      {Resources::From(pod.requests, cluster.resources()), pod.node_selector, pod.required_terms,
       pod.tolerations, pod.membership->segment, pod.membership->spread, pod.membership->traffic});
}

// With whom the members of gangs that have a place talk. Their room is booked already.
void TakeOverTalk(World& world, PlaceQuestion& question) {
  const Engine& engine = world.brain().engine();
  Cluster& cluster = *question.cluster;
  const auto& pods = world.adapter().mirror().pods();
  auto bookings = static_cast<uint32_t>(cluster.ledger().size());
  uint32_t gangs = 0;
  for (const GangView& gang : engine.Gangs()) {
    const std::optional<GangView> view = engine.Gang(gang.key);
    const GangId id(gangs++);
    for (const MemberView& member : view->members) {
      const auto pod = pods.find(member.pod_uid);
      if (member.node.empty() || member.state == "ended" || pod == pods.end()) continue;
      question.others.push_back({pod->second, member.node});
      if (!pod->second.membership || !pod->second.membership->traffic.Any()) continue;
      cluster.ledger().Book(PodId(bookings++), cluster.NodeForName(member.node),
                            BookingKind::kBound, {}, {id, ShapeOf(cluster, pod->second)});
    }
  }
}

// Nodes as the brain knows them, and what it counts as used on each.
bool TakeOver(World& world, PlaceQuestion& question, std::string& error) {
  const Engine& engine = world.brain().engine();
  if (world.brain().down() || !engine.synced()) {
    error = fmt::format("comes at {}, when the brain knows no cluster: expected another time",
                        DurationText(question.at));
    return false;
  }
  Cluster& cluster = *question.cluster;
  for (const auto& [name, node] : world.adapter().mirror().nodes()) {
    cluster.UpsertNode(node);
    question.world.nodes.push_back(node);
  }
  question.world.topologies = judge::TopologiesOf(world.adapter().mirror().objects());
  cluster.DeclarePools(PoolsOf(question.world.topologies));
  std::erase_if(question.world.topologies,
                [](const DeclaredTopology& topology) { return topology.levels.empty(); });
  cluster.DeclareTopology(question.world.topologies);
  cluster.RefreshTopology();
  uint32_t bookings = 0;
  for (const NodeView& node : engine.Nodes()) {
    QuantityMap used = node.bound;
    for (const auto& [resource, amount] : node.held) used[resource] += amount;
    cluster.ledger().Book(PodId(bookings++), cluster.NodeForName(node.name), BookingKind::kBound,
                          Resources::From(used, cluster.resources()));
    question.world.occupants.push_back({node.name, std::move(used)});
  }
  TakeOverTalk(world, question);
  return true;
}

void InternShapes(PlaceQuestion& question, const std::vector<std::string>& accelerators) {
  Cluster& cluster = *question.cluster;
  for (const PodObject& pod : question.members) {
    question.shapes.push_back(ShapeOf(cluster, pod));
    std::string& asked = question.asked.emplace_back();
    for (const auto& [resource, amount] : pod.requests) {
      if (!wire::MatchesAny(accelerators, resource) || amount == 0) continue;
      asked += fmt::format("{}{} {}", asked.empty() ? "" : ", ", resource, amount);
    }
  }
}

// A mix as the brain would make it: of the members that are there, which came, those that wait once
// more, and those of the gang. Who has left does not count.
void MeasureAgainst(const Mirror& mirror, const std::vector<std::string>& accelerators,
                    PlaceQuestion& question) {
  Cluster& cluster = *question.cluster;
  TargetMix::Counts counts;
  const auto count = [&](const PodObject& pod) {
    if (!pod.ours || !pod.membership || !pod.membership->problems.empty()) return;
    if (pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed) return;
    const int32_t size = std::max<int32_t>(pod.membership->size, 1);
    const int64_t times = pod.node.empty() ? 2 : 1;
    counts[{ShapeOf(cluster, pod), size}] += times * TargetMix::kOne;
  };
  for (const auto& [uid, pod] : mirror.pods()) count(pod);
  for (const PodObject& pod : question.members) count(pod);
  const auto is_device = [&](const std::string& name) {
    return wire::MatchesAny(accelerators, name);
  };
  question.fragmentation = std::make_unique<Fragmentation>();
  question.fragmentation->SetMix(cluster, TargetMix::MixOf(cluster, counts, is_device));
}

}  // namespace

std::optional<PlaceQuestion> AskFor(const Scenario& scenario, const std::string& group,
                                    std::string& error) {
  const Before before = SplitOff(scenario, group);
  PlaceQuestion question;
  question.gang = group;
  question.at = before.at;
  question.members = MembersOf(before.pods, scenario.engine.accelerators);
  for (const PodObject& pod : question.members) {
    error = WhyNotPlanned(pod, question.members.front());
    if (!error.empty()) return std::nullopt;
  }
  World world(before.scenario, nullptr, false);
  const Time until = world.queue().start() + before.at;
  while (world.queue().next() <= until) world.queue().RunNext();
  question.cluster = std::make_unique<Cluster>(scenario.engine.node_scope);
  question.world.node_scope = scenario.engine.node_scope;
  question.fewest = FewestOf(question, world.adapter().mirror(), error);
  if (question.fewest == 0 || !TakeOver(world, question, error)) return std::nullopt;
  InternShapes(question, scenario.engine.accelerators);
  MeasureAgainst(world.adapter().mirror(), scenario.engine.accelerators, question);
  return question;
}

PlacementRequest RequestOf(const PlaceQuestion& question, size_t members) {
  PlacementRequest request;
  if (question.fragmentation->Active()) request.fragmentation = question.fragmentation.get();
  std::map<ShapeId, size_t> role_of;
  for (size_t i = 0; i < members; ++i) {
    const auto [role, added] = role_of.try_emplace(question.shapes[i], request.roles.size());
    if (added) request.roles.push_back({question.shapes[i], 0});
    ++request.roles[role->second].count;
  }
  request.required_level = question.members.front().membership->required_level;
  request.preferred_level = question.members.front().membership->preferred_level;
  return request;
}

}  // namespace phalanx::sim

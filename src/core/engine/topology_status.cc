#include "core/engine/topology_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/hash.h"
#include "core/engine/declared.h"
#include "core/engine/state.h"

namespace phalanx {
namespace {

// Changes that follow each other within it are written once.
constexpr Duration kSettleFirst{500};
// Nodes that come and go change the numbers; they are not written more often.
constexpr Duration kRecountEvery = Duration::Seconds(10);
constexpr Duration kRetryFirst = Duration::Seconds(1);
constexpr Duration kRetryLast = Duration::Minutes(10);

const DeclaredTopology* TopologyOf(const ApiObject& object) {
  return std::get_if<DeclaredTopology>(&object.body);
}

bool IsOurs(const ApiObject& object) {
  const DeclaredTopology* topology = TopologyOf(object);
  return topology != nullptr && topology->precedence == 0;
}

// Nodes that carry a label of any of the levels.
int32_t NodesWith(const Cluster& cluster, const DeclaredTopology& topology) {
  int32_t nodes = 0;
  for (const NodeId id : cluster.present_nodes()) {
    const LabelMap& labels = cluster.node(id).topology_labels;
    nodes += std::ranges::any_of(topology.levels, [&](const DeclaredLevel& level) {
      const auto label = labels.find(level.label);
      return label != labels.end() && !label->second.empty();
    });
  }
  return nodes;
}

// Whether another object of the kind is read instead: more nodes carry its labels, or as many and
// it comes first.
bool AnotherCounts(const State& state, const ApiObject& object, int32_t nodes) {
  bool before = true;
  for (const auto& [key, entry] : state.objects.entries()) {
    if (key == object.key) {
      before = false;
      continue;
    }
    if (!IsOurs(entry.object)) continue;
    const int32_t others = NodesWith(state.cluster, *TopologyOf(entry.object));
    if (others > nodes || (before && others == nodes)) return true;
  }
  return false;
}

GangCondition Accepted(const ApiObject& object) {
  if (object.problems.empty()) {
    return {true, Time::Never(), "Valid", "all of it can be followed"};
  }
  const Problem& first = object.problems.front();
  std::string message =
      fmt::format("{}: got \"{}\", expected {}", first.field, first.value, first.expected);
  if (const size_t more = object.problems.size() - 1; more > 0) {
    message += fmt::format(" (and {} more)", more);
  }
  return {false, Time::Never(), "Invalid", std::move(message)};
}

GangCondition InForce(const State& state, const ApiObject& object, int32_t nodes) {
  if (TopologyOf(object)->levels.empty() && !TopologyOf(object)->pools.empty()) {
    return {true, Time::Never(), "SharedResourcesOnly",
            "its shared resources count; the levels are those of well-known labels, or of another "
            "object"};
  }
  if (TopologyOf(object)->levels.empty()) {
    return {false, Time::Never(), "NeverValid",
            "it could never be followed: the levels are those of well-known labels, or of another "
            "object"};
  }
  if (nodes == 0) {
    return {false, Time::Never(), "NoNodeLabelled",
            "no node carries a label of its levels: they are those of well-known labels, or of "
            "another object"};
  }
  if (!IsDeclared(state, object) || AnotherCounts(state, object, nodes)) {
    return {false, Time::Never(), "AnotherCounts", "more nodes carry the labels of another object"};
  }
  if (object.problems.empty()) {
    return {true, Time::Never(), "Followed", "gangs are placed by these levels"};
  }
  return {true, Time::Never(), "LastGood",
          fmt::format("gangs are placed by the levels of generation {}, the last one that could be "
                      "followed",
                      object.followed_generation)};
}

TopologyReport ReportOf(const State& state, const ApiObject& object) {
  TopologyReport report{.key = object.key, .uid = object.uid, .generation = object.generation};
  for (const DeclaredLevel& level : TopologyOf(object)->levels) report.levels.push_back(level.name);
  report.nodes = NodesWith(state.cluster, *TopologyOf(object));
  report.accepted = Accepted(object);
  report.in_force = InForce(state, object, report.nodes);
  return report;
}

void Stamp(Time now, Truth& truth, GangCondition& condition) {
  if (truth.since == Time::Never() || truth.holds != condition.holds) {
    truth = {condition.holds, now};
  }
  condition.since = truth.since;
}

uint64_t PrintOf(const TopologyReport& report) {
  Hash hash;
  hash.Add(report.uid).Add(report.generation).Add(report.nodes);
  for (const std::string& level : report.levels) hash.Add(level);
  for (const GangCondition* condition : {&report.accepted, &report.in_force}) {
    hash.Add(condition->holds).Add(condition->reason).Add(condition->message);
  }
  return hash.Done();
}

void Write(State& state, const ApiObject& object, TopologyShown& shown) {
  shown.due = Time::Never();
  shown.nodes_seen = state.cluster.topology_changes();
  TopologyReport report = ReportOf(state, object);
  Stamp(state.now, shown.accepted, report.accepted);
  Stamp(state.now, shown.in_force, report.in_force);
  const uint64_t print = PrintOf(report);
  if (print == shown.said) return;
  state.board.budget.Spend();
  shown.saying = print;
  shown.in_flight = state.outbox.Send(ShowTopology{std::move(report)});
}

Duration RetryAfter(int32_t failures) {
  Duration wait = kRetryFirst;
  for (int32_t i = 0; i < failures && wait < kRetryLast; ++i) wait = wait + wait;
  return std::min(wait, kRetryLast);
}

}  // namespace

void ShowTopologiesLater(State& state) {
  std::erase_if(state.topologies,
                [&](const auto& entry) { return state.objects.Find(entry.first) == nullptr; });
  for (const auto& [key, entry] : state.objects.entries()) {
    if (!IsOurs(entry.object)) continue;
    TopologyShown& shown = state.topologies[key];
    shown.due = std::min(shown.due, state.now + kSettleFirst);
  }
}

bool NoteTopologyWritten(State& state, const DirectiveResult& result) {
  for (auto& [key, shown] : state.topologies) {
    if (shown.in_flight == 0 || shown.in_flight != result.sequence) continue;
    shown.in_flight = 0;
    if (result.applied) {
      shown.said = shown.saying;
      shown.failures = 0;
    } else {
      shown.said = 0;
      shown.due = state.now + RetryAfter(shown.failures++);
    }
    return true;
  }
  return false;
}

void WriteTopologies(State& state) {
  for (auto& [key, shown] : state.topologies) {
    if (shown.nodes_seen != state.cluster.topology_changes()) {
      shown.due = std::min(shown.due, state.now + kRecountEvery);
      shown.nodes_seen = state.cluster.topology_changes();
    }
    if (shown.in_flight != 0 || shown.due > state.now || !state.board.budget.Has()) continue;
    Write(state, *state.objects.Find(key), shown);
  }
}

Time NextTopologyWrite(const State& state) {
  Time next = Time::Never();
  for (const auto& [key, shown] : state.topologies) {
    if (shown.in_flight == 0) next = std::min(next, shown.due);
  }
  if (next == Time::Never() || state.board.budget.Has()) return next;
  return std::max(next, state.board.budget.NextAt());
}

void ForgetTopologyWrites(State& state) {
  for (auto& [key, shown] : state.topologies) {
    shown.in_flight = 0;
    shown.said = 0;
    shown.due = state.now;
  }
}

}  // namespace phalanx

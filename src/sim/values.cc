#include "sim/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/explain/reason_text.h"
#include "sim/fields.h"
#include "wire/gang_object.h"

namespace phalanx::sim {
namespace {

// The time of what has not happened: no comparison holds.
constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

int64_t Get(const QuantityMap& map, const std::string& resource) {
  auto it = map.find(ResourceOf(resource));
  return it == map.end() ? 0 : it->second;
}

int64_t Get(const std::map<std::string, int64_t>& map, const std::string& prefix,
            const std::string& field) {
  auto it = map.find(field.substr(prefix.size()));
  return it == map.end() ? 0 : it->second;
}

bool TakesPlanRoom(const MemberView& member) {
  return member.state == "planned" || member.state == "reserved" || member.state == "prepared" ||
         member.state == "returning";
}

std::vector<std::string> NodesOf(const GangView& gang, bool by_rank) {
  std::vector<const MemberView*> placed;
  for (const MemberView& member : gang.members) {
    if (!member.node.empty() && member.state != "ended") placed.push_back(&member);
  }
  std::stable_sort(placed.begin(), placed.end(), [&](const MemberView* a, const MemberView* b) {
    return by_rank ? a->rank < b->rank : a->node < b->node;
  });
  std::vector<std::string> nodes;
  nodes.reserve(placed.size());
  for (const MemberView* member : placed) nodes.push_back(member->node);
  return nodes;
}

bool Compare(CompareOp op, int64_t a, int64_t b) {
  switch (op) {
    case CompareOp::kNone:
    case CompareOp::kEqual:
      return a == b;
    case CompareOp::kNotEqual:
      return a != b;
    case CompareOp::kLess:
      return a < b;
    case CompareOp::kLessEqual:
      return a <= b;
    case CompareOp::kMore:
      return a > b;
    case CompareOp::kMoreEqual:
      return a >= b;
    case CompareOp::kContains:
      return false;
  }
  return false;
}

bool HoldsList(const Condition& condition, std::vector<std::string> list) {
  if (condition.op == CompareOp::kContains) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& item) {
      return item.find(condition.text) != std::string::npos;
    });
  }
  std::vector<std::string> wanted = condition.items;
  if (condition.field != "ranks" && condition.field != "levels") {  // those keep their order
    std::sort(wanted.begin(), wanted.end());
    std::sort(list.begin(), list.end());
  }
  return (list == wanted) == (condition.op == CompareOp::kEqual);
}

}  // namespace

Reader::Reader(World& world, const Checker& checker, Subject subject, std::string name)
    : world_(world), checker_(checker), subject_(subject), name_(std::move(name)) {}

const GangView* Reader::View() {
  if (!asked_) view_ = world_.ViewOf(name_);
  asked_ = true;
  return view_ ? &*view_ : nullptr;
}

Value Reader::Read(const std::string& field) {
  switch (subject_) {
    case Subject::kGang:
      return OfGang(field);
    case Subject::kPod:
      return OfPod(field);
    case Subject::kNode:
      return OfNode(field);
    case Subject::kCluster:
      return OfCluster(field);
    case Subject::kStats:
      return OfStats(field);
  }
  return int64_t{0};
}

Value Reader::OfGang(const std::string& field) {
  if (field == "partial") return int64_t{checker_.PartialAtRest(name_)};
  std::vector<const ApiPod*> pods = world_.api().PodsOfGroup(name_);
  if (field == "running") {
    return static_cast<int64_t>(std::count_if(pods.begin(), pods.end(), [](const ApiPod* pod) {
      return pod->phase == PodPhase::kRunning && !pod->deleting;
    }));
  }
  if (field == "ended" || field == "over") {
    const bool ended =
        std::all_of(pods.begin(), pods.end(), [](auto* pod) { return pod->Ended(); });
    return int64_t{ended || (field == "over" && world_.api().spent().contains(name_))};
  }
  if (field == "events") {
    std::vector<std::string> events;
    for (const ApiPod* pod : pods) {
      for (std::string& event : world_.recorder().EventsOf(pod->uid)) {
        events.push_back(std::move(event));
      }
    }
    return events;
  }
  if (field == "told") {
    return static_cast<int64_t>(
        std::count_if(pods.begin(), pods.end(), [](auto* pod) { return pod->told; }));
  }
  if (std::optional<Value> value = OfObject(field)) return *value;
  Recorder::OfGang counts = world_.recorder().CountsOf(world_.KeyOf(name_));
  if (field == "admits") return counts.admits;
  if (field == "rejects") return counts.rejects;
  if (field == "evicts") return counts.evicts;
  const GangView* view = View();
  if (field == "gone") return int64_t{view == nullptr};
  GangView none;
  none.explanation = "(the brain does not know this gang)";
  if (!view && field == "phase") return std::string("(unknown)");
  return OfGangView(view ? *view : none, field);
}

std::optional<Value> Reader::OfObject(const std::string& field) {
  const auto& gangs = world_.api().gangs();
  auto it = gangs.find(world_.KeyOf(name_));
  const bool there = it != gangs.end();
  const GangReport* status = there && it->second.status ? &*it->second.status : nullptr;
  if (field == "object") return int64_t{there};
  if (field == "writes") return there ? it->second.writes : 0;
  if (field == "shown") return std::string(status ? StateName(status->state) : "");
  if (field == "shown-reason") return std::string(status ? ReasonName(status->reason.code) : "");
  if (field == "placement") return status ? status->placement : std::string();
  if (field == "shown-position") return status ? int64_t{status->position} : 0;
  return std::nullopt;
}

Value Reader::OfGangView(const GangView& gang, const std::string& field) {
  int64_t held = std::count_if(gang.members.begin(), gang.members.end(), TakesPlanRoom);
  if (field == "phase") return std::string(PhaseName(gang.phase));
  if (field == "domain") return gang.domain;
  if (field == "queue") return gang.queue;
  if (field == "bound") return int64_t{gang.bound};
  if (field == "present") return int64_t{gang.present};
  if (field == "size") return int64_t{gang.size};
  if (field == "min") return int64_t{gang.min};
  if (field == "devices") return gang.devices;
  if (field == "priority") return int64_t{gang.priority};
  if (field == "position") return int64_t{gang.position};
  if (field == "attempts") return int64_t{gang.attempts};
  if (field == "held") return held;
  if (field == "holds-none") return int64_t{held == 0 && gang.bound == 0};
  if (field == "waits") {
    return int64_t{gang.size > 0 &&
                   (gang.phase == GangPhase::kGathering || gang.phase == GangPhase::kQueued)};
  }
  if (field == "runs") return int64_t{gang.phase == GangPhase::kRunning};
  if (field == "done") return int64_t{gang.phase == GangPhase::kDone};
  bool started = gang.started.ms != 0;
  if (field == "started") return started ? (gang.started - world_.queue().start()).ms : kNever;
  if (field == "waited") return started ? (gang.started - gang.first_seen).ms : kNever;
  if (field == "nodes") return NodesOf(gang, false);
  if (field == "ranks") return NodesOf(gang, true);
  if (field == "hosts") {
    std::vector<std::string> nodes = NodesOf(gang, false);
    return static_cast<int64_t>(std::set<std::string>(nodes.begin(), nodes.end()).size());
  }
  if (field == "reason") return gang.explanation;
  return OfReason(gang.reason, field);
}

Value Reader::OfReason(const Reason& reason, const std::string& field) {
  if (field == "code") return std::string(ReasonName(reason.code));
  if (field == "level") return reason.level;
  if (field == "best-domain") return reason.domain;
  if (field == "subject") return reason.subject;
  if (field == "detail") return reason.detail;
  if (field == "member") return reason.member;
  if (field == "have") return reason.have;
  if (field == "need") return reason.need;
  if (field == "never-fits") return int64_t{reason.never};
  int64_t nodes = 0;
  for (const Exclusion& exclusion : reason.exclusions) {
    if (field == fmt::format("excluded.{}", ExclusionName(exclusion.cause)))
      nodes += exclusion.nodes;
  }
  return nodes;
}

Value Reader::OfPod(const std::string& field) {
  const ApiPod* pod = world_.api().FindByScenarioName(name_);
  if (field == "gone") return int64_t{pod == nullptr};
  if (!pod && (field == "rank" || field == "unbound" || field == "told")) return int64_t{0};
  if (!pod) return "(gone)";
  static const char* const kPhases[] = {"Pending", "Running", "Succeeded", "Failed"};
  static const char* const kAnswers[] = {"Unknown", "Loose", "Held", "Planned", "Released"};
  if (field == "node") return pod->spec.node;
  if (field == "phase") return std::string(kPhases[static_cast<size_t>(pod->phase)]);
  if (field == "unbound") return int64_t{pod->spec.node.empty()};
  if (field == "told") return int64_t{pod->told};
  if (field == "rank") return int64_t{pod->plan ? pod->plan->rank : -1};
  AnswerKind answer = world_.recorder().AnswerOf(pod->uid).kind;
  return std::string(kAnswers[static_cast<size_t>(answer)]);
}

Value Reader::OfNode(const std::string& field) {
  std::vector<NodeView> nodes = world_.brain().engine().Nodes();
  auto it = std::find_if(nodes.begin(), nodes.end(),
                         [&](const NodeView& node) { return node.name == name_; });
  if (field == "gone") return int64_t{it == nodes.end()};
  NodeView view = it == nodes.end() ? NodeView{} : *it;
  if (field == "path") return fmt::format("{}", fmt::join(view.path, "/"));
  if (field == "cordoned") return int64_t{view.unschedulable};
  if (field == "notready") return int64_t{!view.ready};
  if (field == "pods") return Get(view.bound, "pods");
  std::string kind = field.substr(0, field.find('.'));
  std::string resource = field.substr(field.find('.') + 1);
  int64_t allocatable = Get(view.allocatable, resource);
  if (kind == "allocatable") return allocatable;
  if (kind == "bound") return Get(view.bound, resource);
  if (kind == "held") return Get(view.held, resource);
  return std::max<int64_t>(0, allocatable - Get(view.bound, resource) - Get(view.held, resource));
}

Value Reader::OfCluster(const std::string& field) {
  if (field == "levels") return world_.brain().engine().TopologySnapshot().levels;
  int64_t sum = 0;
  for (const NodeView& node : world_.brain().engine().Nodes()) {
    std::string kind = field.substr(0, field.find('.'));
    std::string resource = field.substr(field.find('.') + 1);
    int64_t bound = Get(node.bound, resource);
    int64_t held = Get(node.held, resource);
    if (kind == "bound") sum += bound;
    if (kind == "held") sum += held;
    if (kind == "free") sum += std::max<int64_t>(0, Get(node.allocatable, resource) - bound - held);
  }
  return sum;
}

Value Reader::OfStats(const std::string& field) {
  StatsView stats = world_.brain().engine().TakeStats();
  if (field == "plans") return stats.plans;
  if (field == "work-units") return stats.planning_work_units;
  if (field == "partial-spells") return stats.partial_spells;
  if (field == "partial-max") return stats.partial_spell_ms_max;
  if (field == "epoch") return static_cast<int64_t>(world_.brain().engine().epoch());
  if (field.starts_with("placements.")) return Get(stats.placements, "placements.", field);
  if (field.starts_with("directives.")) return Get(stats.directives, "directives.", field);
  if (field.starts_with("conflicts.")) return Get(stats.conflicts, "conflicts.", field);
  return Get(stats.refused_input, "refused.", field);
}

std::string Reader::Summary() {
  if (subject_ != Subject::kGang) return "";
  const GangView* view = View();
  if (!view) return fmt::format("gang {}: unknown to the brain", name_);
  return fmt::format("gang {}: {}, {} of {} bound, {} present, nodes [{}]; {}", name_,
                     PhaseName(view->phase), view->bound, view->size, view->present,
                     fmt::join(NodesOf(*view, true), " "), view->explanation);
}

bool Holds(const Condition& condition, const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return *number != kNever && Compare(condition.op, *number, condition.number);
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return HoldsList(condition, *list);
  }
  const std::string& text = std::get<std::string>(value);
  if (condition.op == CompareOp::kContains) return text.find(condition.text) != std::string::npos;
  return (text == condition.text) == (condition.op == CompareOp::kEqual);
}

std::string ValueText(const Value& value, bool time) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    if (*number == kNever) return "never";
    return time ? DurationText({*number}) : fmt::format("{}", *number);
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return fmt::format("[{}]", fmt::join(*list, " "));
  }
  return fmt::format("\"{}\"", std::get<std::string>(value));
}

}  // namespace phalanx::sim

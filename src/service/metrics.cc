#include "service/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "service/families.h"
#include "service/flags.h"
#include "wire/text.h"
#include "wire/words.h"

namespace phalanx::service {
namespace {

constexpr size_t kMaxPlugins = 48;
constexpr double kMicros = 1e6;
constexpr double kMillis = 1e3;

constexpr GangPhase kAllPhases[] = {
    GangPhase::kGathering,   GangPhase::kQueued,    GangPhase::kHolding,
    GangPhase::kStarting,    GangPhase::kRunning,   GangPhase::kRepairing,
    GangPhase::kRollingBack, GangPhase::kSuspended, GangPhase::kDone};

bool IsPluginName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

prometheus::MetricFamily ByName(Family family, const char* label,
                                const std::map<std::string, int64_t>& values) {
  for (const auto& [name, value] : values) family.Add(value, {{label, name}});
  return family.Take();
}

void AddCalls(Family& family, const char* method, const CallCounters& calls) {
  family.Add(calls.ok, {{"method", method}, {"result", "ok"}})
      .Add(calls.stale_epoch, {{"method", method}, {"result", "stale_epoch"}})
      .Add(calls.unknown_pod, {{"method", method}, {"result", "unknown_pod"}})
      .Add(calls.invalid, {{"method", method}, {"result", "invalid"}})
      .Add(calls.no_room, {{"method", method}, {"result", "no_room"}});
}

}  // namespace

Metrics::Metrics(runtime::Brain& brain, const ServiceCounters& counters, const Settings& settings)
    : brain_(brain), counters_(counters), settings_(settings) {}

std::string Metrics::Expose() {
  std::chrono::milliseconds timeout(settings_.query_deadline.ms);
  std::shared_ptr<const StatsView> stats = brain_.Stats(timeout);
  Families families;
  AddEngine(*stats, families);
  AddShown(*stats, families);
  AddLedger(*stats, families);
  AddRuntime(families);
  AddMailbox(families);
  AddService(families);
  return prometheus::TextSerializer().prometheus::Serializer::Serialize(families);
}

std::string Metrics::BoundedPlugin(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (plugins_.contains(name)) return name;
  if (!IsPluginName(name) || plugins_.size() >= kMaxPlugins) return "other";
  plugins_.insert(name);
  return name;
}

void Metrics::AddEngine(const StatsView& stats, Families& out) {
  Family gangs = Family::Gauge("phalanx_gangs", "Gangs that are known, by phase.");
  for (GangPhase phase : kAllPhases) {
    auto it = stats.gangs_by_phase.find(phase);
    gangs.Add(it == stats.gangs_by_phase.end() ? 0 : it->second, {{"phase", wire::Name(phase)}});
  }
  out.push_back(gangs.Take());
  Family placements =
      Family::Counter("phalanx_placements_total",
                      "Answers of the placement search: result placed, or refused with a reason.");
  for (const auto& [result, count] : stats.placements) {
    bool fits = result == "fits";
    placements.Add(count,
                   {{"result", fits ? "placed" : "refused"}, {"reason", fits ? "" : result}});
  }
  out.push_back(placements.Take());
  out.push_back(ByName(
      Family::Counter("phalanx_directives_total", "Directives sent to the adapter, by kind."),
      "kind", stats.directives));
  std::map<std::string, int64_t> conflicts;
  for (const auto& [plugin, count] : stats.conflicts) conflicts[BoundedPlugin(plugin)] += count;
  out.push_back(ByName(Family::Counter("phalanx_conflicts_total",
                                       "Plans that the scheduler refused, by the plugin that did."),
                       "plugin", conflicts));
  out.push_back(ByName(Family::Counter("phalanx_engine_refused_commands_total",
                                       "Commands that named something unknown, by what it was."),
                       "what", stats.refused_input));
  out.push_back(
      Family::Counter("phalanx_plans_total", "Plans made for gangs.").Add(stats.plans).Take());
  out.push_back(
      Family::Counter("phalanx_plan_work_units_total",
                      "Work units that planning has spent; one is about one look at a host.")
          .Add(stats.planning_work_units)
          .Take());
  out.push_back(Family::Counter("phalanx_partial_spells_total",
                                "Ended spells in which only a part of a gang was bound.")
                    .Add(stats.partial_spells)
                    .Take());
  out.push_back(Family::Counter("phalanx_partial_spell_seconds_total",
                                "Seconds that ended partial spells have lasted in sum.")
                    .Add(stats.partial_spell_ms_total / kMillis)
                    .Take());
  out.push_back(Family::Gauge("phalanx_partial_spell_longest_seconds",
                              "Seconds that the longest ended partial spell has lasted.")
                    .Add(stats.partial_spell_ms_max / kMillis)
                    .Take());
}

void Metrics::AddShown(const StatsView& stats, Families& out) {
  out.push_back(Family::Gauge("phalanx_status_writes_waiting",
                              "Gang objects, members and events that wait for the write budget.")
                    .Add(stats.status_writes_waiting)
                    .Take());
  out.push_back(Family::Gauge("phalanx_gang_kind_missing",
                              "1 while the API server does not serve the kind Gang.")
                    .Add(stats.gang_kind_missing ? 1 : 0)
                    .Take());
}

void Metrics::AddLedger(const StatsView& stats, Families& out) const {
  const std::vector<std::string>& accelerators = settings_.engine.accelerators;
  auto add = [&](const char* name, const std::string& what, const QuantityMap& quantities) {
    Family family = Family::Gauge(
        name, what + " over all nodes: devices in units, cpu in cores, memory in bytes.");
    for (const auto& [resource, quantity] : quantities) {
      bool shown =
          resource == "cpu" || resource == "memory" || wire::MatchesAny(accelerators, resource);
      if (!shown) continue;
      family.Add(resource == "cpu" ? quantity / kMillis : static_cast<double>(quantity),
                 {{"resource", resource}});
    }
    out.push_back(family.Take());
  };
  add("phalanx_resource_allocatable", "Allocatable", stats.allocatable);
  add("phalanx_resource_bound", "Requests of bound pods of all schedulers", stats.bound);
  add("phalanx_resource_held", "Requests of planned members that are not bound yet", stats.held);
}

void Metrics::AddRuntime(Families& out) const {
  const runtime::BrainMetrics& metrics = brain_.metrics();
  out.push_back(Family::Seconds("phalanx_gang_waiting_seconds",
                                "Time from a gang's first member seen to its start, of gangs that "
                                "started, in seconds.",
                                metrics.gang_waiting.Read(), kMillis)
                    .Take());
  out.push_back(Family::Seconds("phalanx_plan_duration_seconds",
                                "Time of one planning slice in seconds.", metrics.plan_slice.Read(),
                                kMicros)
                    .Take());
  out.push_back(Family::Seconds("phalanx_apply_duration_seconds",
                                "Time of one command of the engine, planning left out, in seconds.",
                                metrics.apply.Read(), kMicros)
                    .Take());
  out.push_back(Family::Counter("phalanx_invariant_violations_total",
                                "Broken invariants that sampled checks have found; 0 is right.")
                    .Add(metrics.violations)
                    .Take());
  out.push_back(Family::Seconds("phalanx_invariant_check_duration_seconds",
                                "Time of one sampled check of the engine's state, in seconds.",
                                metrics.check.Read(), kMicros)
                    .Take());
  out.push_back(Family::Counter("phalanx_commands_total", "Commands that the engine has applied.")
                    .Add(metrics.commands)
                    .Take());
  out.push_back(Family::Gauge("phalanx_epoch", "Epoch of the connected adapter; 0 without one.")
                    .Add(brain_.epoch())
                    .Take());
  out.push_back(Family::Gauge("phalanx_synced", "1 when the adapter's snapshot is applied.")
                    .Add(brain_.synced())
                    .Take());
  out.push_back(Family::Gauge("phalanx_published_answers", "Pods with a published answer.")
                    .Add(brain_.answer_count())
                    .Take());
}

void Metrics::AddMailbox(Families& out) const {
  Family depth = Family::Gauge("phalanx_mailbox_messages", "Messages that wait for the engine.");
  Family weight = Family::Gauge("phalanx_mailbox_weight",
                                "What these weigh: facts, or changed objects in lane bulk.");
  Family capacity =
      Family::Gauge("phalanx_mailbox_capacity", "Weight from which on no more is taken.");
  Family refused = Family::Counter("phalanx_mailbox_refused_total", "Times a lane was full.");
  for (runtime::Lane lane : {runtime::Lane::kControl, runtime::Lane::kFact, runtime::Lane::kBulk}) {
    runtime::Mailbox::LaneStats stats = brain_.mailbox(lane);
    Labels labels = {{"lane", runtime::Name(lane)}};
    depth.Add(stats.depth, labels);
    weight.Add(stats.weight, labels);
    if (stats.capacity == 0) continue;
    capacity.Add(stats.capacity, labels);
    refused.Add(stats.refused, labels);
  }
  out.push_back(depth.Take());
  out.push_back(weight.Take());
  out.push_back(capacity.Take());
  out.push_back(refused.Take());
  out.push_back(
      Family::Counter("phalanx_mailbox_stale_total", "Messages of an epoch that was over, dropped.")
          .Add(brain_.metrics().dropped_stale)
          .Take());
  out.push_back(Family::Seconds("phalanx_mailbox_wait_seconds",
                                "Time from a message's arrival to its application, in seconds.",
                                brain_.metrics().mailbox_wait.Read(), kMicros)
                    .Take());
}

void Metrics::AddService(Families& out) const {
  Family calls = Family::Counter("phalanx_calls_total",
                                 "Calls of the scheduler's extension points, by result.");
  AddCalls(calls, "Filter", counters_.filter);
  AddCalls(calls, "Score", counters_.score);
  AddCalls(calls, "Reserve", counters_.reserve);
  AddCalls(calls, "Unreserve", counters_.unreserve);
  AddCalls(calls, "Permit", counters_.permit);
  out.push_back(calls.Take());
  out.push_back(Family::Counter("phalanx_refused_input_total",
                                "Input of the adapter that was refused, by kind.")
                    .Add(counters_.refused_nodes, {{"kind", "node"}})
                    .Add(counters_.refused_pods, {{"kind", "pod"}})
                    .Add(counters_.refused_objects, {{"kind", "object"}})
                    .Add(counters_.refused_facts, {{"kind", "fact"}})
                    .Add(counters_.refused_hellos, {{"kind", "hello"}})
                    .Add(counters_.refused_epochs, {{"kind", "epoch"}})
                    .Take());
  out.push_back(Family::Counter("phalanx_sessions_total", "Adapters that were welcomed.")
                    .Add(counters_.sessions)
                    .Take());
  out.push_back(Family::Counter("phalanx_slow_sessions_total",
                                "Sessions that ended because their directives piled up.")
                    .Add(counters_.slow_sessions)
                    .Take());
  out.push_back(Family::Gauge("phalanx_build_info", "1, with the version of this build.")
                    .Add(1, {{"version", Version()}})
                    .Take());
}

}  // namespace phalanx::service

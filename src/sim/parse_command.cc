// Statements about what happens over time: changes of nodes and pods, latencies, and the settings
// of a run.
#include <fmt/format.h>

#include <limits>

#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

// A line that is only about when: `delete gang a at=5s`.
struct TimeLine {
  Duration at;
};

const std::vector<Attribute<TimeLine>>& TimeAttributes() {
  static const auto* const kTable = new std::vector<Attribute<TimeLine>>{
      {"at", kTimeExpected, [](const Word& w, TimeLine& t) { return ReadTimeInto(w, t.at); }}};
  return *kTable;
}

// `gang NAMES` or `pod NAMES` or `member GANG[I]` at words 1 and 2.
std::optional<PodSelector> ReadTarget(Line& line) {
  const std::string* kind = line.Bare(1, "gang, job or pod");
  if (!kind) return std::nullopt;
  bool group = *kind == "gang" || *kind == "job";
  if (!group && *kind != "pod") {
    line.FailUnknown(*kind, "gang, job or pod", {"gang", "job", "pod"});
    return std::nullopt;
  }
  std::optional<std::vector<std::string>> names = line.Names(2, "the name of a " + *kind, true);
  if (!names) return std::nullopt;
  if (!(group ? line.CheckGroups(*names) : line.CheckPods(*names))) return std::nullopt;
  PodSelector selector;
  (group ? selector.groups : selector.pods) = *names;
  return selector;
}

struct ChangeNodeLine {
  ChangeNode change;
  Duration at;
};

std::vector<Attribute<ChangeNodeLine>> ChangeNodeAttributes() {
  using L = ChangeNodeLine;
  std::vector<Attribute<L>> table = {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"label:", "the value of the label; empty removes it",
       [](const Word& w, L& l) { return ReadLabelInto(w, l.change.labels); }},
      {"taint", "KEY=VALUE:NoSchedule (or :PreferNoSchedule, :NoExecute)",
       [](const Word& w, L& l) {
         std::optional<Taint> taint = ReadTaint(w.value);
         if (taint) l.change.taints.push_back(*taint);
         return taint.has_value();
       }},
      {"untainted", "", [](const Word&, L& l) { return l.change.clear_taints = true; }},
  };
  AddResourceAttributes<L>(table, [](L& l) -> QuantityMap& { return l.change.allocatable; });
  return table;
}

struct ChangePodLine {
  ChangePods change;
  Duration at;
};

std::vector<Attribute<ChangePodLine>> ChangePodAttributes() {
  using L = ChangePodLine;
  std::vector<Attribute<L>> table = {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"label:", "the value of the label",
       [](const Word& w, L& l) { return ReadLabelInto(w, l.change.labels); }},
      {"size", "the text of the gang-size label",
       [](const Word& w, L& l) {
         l.change.labels["phalanx.dev/gang-size"] = w.value;
         return true;
       }},
      {"priority", "a whole number of 32 bits",
       [](const Word& w, L& l) {
         return ReadNumberInto(w, l.change.priority, INT32_MIN, INT32_MAX);
       }},
  };
  AddResourceAttributes<L>(table, [](L& l) -> QuantityMap& { return l.change.requests; });
  return table;
}

void ParseSetNode(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(2, "the name of a node", false);
  ChangeNodeLine spec;
  if (!names || !line.CheckNodes(*names)) return;
  if (!ReadAttributes(line, 3, ChangeNodeAttributes(), spec)) return;
  for (const std::string& name : *names) {
    spec.change.name = name;
    line.AddAction(spec.at, spec.change);
  }
}

struct LatencyLine {
  Duration at;
  std::vector<SetLatency> values;
};

std::vector<Attribute<LatencyLine>> LatencyAttributes() {
  using L = LatencyLine;
  std::vector<Attribute<L>> table = {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }}};
  const std::pair<const char*, Latency> kNames[] = {
      {"watch", Latency::kWatch}, {"cycle", Latency::kCycle},   {"prepare", Latency::kPrepare},
      {"bind", Latency::kBind},   {"return", Latency::kReturn}, {"gc", Latency::kGc}};
  for (const auto& [name, which] : kNames) {
    table.push_back({name, kTimeExpected, [which = which](const Word& w, L& l) {
                       SetLatency value{which, {}};
                       bool good = ReadTimeInto(w, value.value);
                       if (good) l.values.push_back(value);
                       return good;
                     }});
  }
  return table;
}

struct BindingLine {
  Duration at;
  std::optional<BindOrder> order;
  std::optional<int64_t> in_flight;
};

std::vector<Attribute<BindingLine>> BindingAttributes() {
  using L = BindingLine;
  return {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"order", "rank, reversed or name",
       [](const Word& w, L& l) {
         if (w.value == "rank") l.order = BindOrder::kRank;
         if (w.value == "reversed") l.order = BindOrder::kReversed;
         if (w.value == "name") l.order = BindOrder::kName;
         return l.order.has_value();
       }},
      {"in-flight", "a whole number from 1 to 10000",
       [](const Word& w, L& l) { return ReadNumberInto(w, l.in_flight, 1, 10'000); }},
  };
}

using ConfigAttribute = Attribute<Scenario>;

ConfigAttribute EngineTime(const char* name, Duration EngineConfig::*field) {
  return {name, kTimeExpected,
          [field](const Word& w, Scenario& s) { return ReadTimeInto(w, s.engine.*field); }};
}

std::vector<ConfigAttribute> ConfigAttributes() {
  return {
      EngineTime("reserve-deadline", &EngineConfig::reserve_deadline),
      EngineTime("prepare-deadline", &EngineConfig::prepare_deadline),
      EngineTime("backoff-first", &EngineConfig::backoff_first),
      EngineTime("backoff-last", &EngineConfig::backoff_last),
      EngineTime("exclusion-ttl", &EngineConfig::exclusion_ttl),
      EngineTime("keep-done", &EngineConfig::keep_done),
      {"status-writes", "writes a second, from 1 to 10000",
       [](const Word& w, Scenario& s) {
         return ReadNumberInto(w, s.engine.status_writes_per_second, 1, 10'000);
       }},
      {"partial-bound", kTimeExpected,
       [](const Word& w, Scenario& s) { return ReadTimeInto(w, s.partial_bound); }},
      {"scope:", "the value of the node label",
       [](const Word& w, Scenario& s) { return ReadLabelInto(w, s.engine.node_scope); }},
  };
}

}  // namespace

void ParseSet(Line& line) {
  const std::string* kind = line.Bare(1, "node, gang, job or pod");
  if (!kind) return;
  if (*kind == "node") return ParseSetNode(line);
  std::optional<PodSelector> pods = ReadTarget(line);
  ChangePodLine spec;
  if (!pods || !ReadAttributes(line, 3, ChangePodAttributes(), spec)) return;
  spec.change.pods = *pods;
  line.AddAction(spec.at, spec.change);
}

void ParseNodeState(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a node", false);
  TimeLine time;
  if (!names || !line.CheckNodes(*names) || !ReadAttributes(line, 2, TimeAttributes(), time))
    return;
  const std::string& verb = line.words()[0].key;
  for (const std::string& name : *names) {
    ChangeNode change{.name = name};
    if (verb == "cordon" || verb == "uncordon") change.unschedulable = verb == "cordon";
    if (verb == "ready" || verb == "notready") change.ready = verb == "ready";
    line.AddAction(time.at, std::move(change));
  }
}

void ParseDelete(Line& line) {
  const std::string* kind = line.Bare(1, "node, gang, job, pod, object, podgroup or queue");
  TimeLine time;
  if (!kind) return;
  if (*kind == "object") {
    std::optional<std::vector<std::string>> gangs = line.Names(2, "the name of a gang", true);
    if (!gangs || !line.CheckGroups(*gangs)) return;
    if (ReadAttributes(line, 3, TimeAttributes(), time)) {
      line.AddAction(time.at, DeleteObjects{*gangs});
    }
    return;
  }
  if (*kind == "podgroup" || *kind == "queue") {
    if (!ReadAttributes(line, 3, TimeAttributes(), time)) return;
    *kind == "queue" ? ParseDeleteQueue(line, time.at) : ParseDeletePodGroup(line, time.at);
    return;
  }
  if (*kind == "node") {
    std::optional<std::vector<std::string>> names = line.Names(2, "the name of a node", false);
    if (!names || !line.CheckNodes(*names)) return;
    if (!ReadAttributes(line, 3, TimeAttributes(), time)) return;
    for (const std::string& name : *names) {
      line.draft().nodes.erase(name);  // a later `node` line may make it again
      line.AddAction(time.at, RemoveNode{name});
    }
    return;
  }
  std::optional<PodSelector> pods = ReadTarget(line);
  if (!pods || !ReadAttributes(line, 3, TimeAttributes(), time)) return;
  line.AddAction(time.at, DeletePods{*pods, !pods->groups.empty()});
}

void ParseCrd(Line& line) {
  const std::string* what = line.Bare(1, "installed or missing");
  TimeLine time;
  if (!what) return;
  if (*what != "installed" && *what != "missing") {
    line.FailUnknown(*what, "installed or missing", {"installed", "missing"});
    return;
  }
  if (!ReadAttributes(line, 2, TimeAttributes(), time)) return;
  line.AddAction(time.at, ServeGangs{*what == "installed"});
}

void ParseUngate(Line& line) {
  struct GateLine {
    Duration at;
    std::string gate;
  };
  static const std::vector<Attribute<GateLine>> kTable = {
      {"at", kTimeExpected, [](const Word& w, GateLine& g) { return ReadTimeInto(w, g.at); }},
      {"gate", "the name of a scheduling gate", [](const Word& w, GateLine& g) {
         g.gate = w.value;
         return !w.value.empty();
       }}};
  std::optional<PodSelector> pods = ReadTarget(line);
  GateLine gate;
  if (!pods || !ReadAttributes(line, 3, kTable, gate)) return;
  line.AddAction(gate.at, RemoveGate{*pods, gate.gate});
}

void ParseEndWork(Line& line) {
  struct EndLine {
    Duration at;
    std::string reason;
  };
  static const std::vector<Attribute<EndLine>> kTable = {
      {"at", kTimeExpected, [](const Word& w, EndLine& e) { return ReadTimeInto(w, e.at); }},
      {"reason", "a word such as OutOfnvidia.com/gpu", [](const Word& w, EndLine& e) {
         e.reason = w.value;
         return !w.value.empty();
       }}};
  std::optional<PodSelector> pods = ReadTarget(line);
  EndLine end;
  if (!pods || !ReadAttributes(line, 3, kTable, end)) return;
  line.AddAction(end.at, EndPods{*pods, line.words()[0].key == "fail", end.reason});
}

void ParseLatency(Line& line) {
  LatencyLine latency;
  if (!ReadAttributes(line, 1, LatencyAttributes(), latency)) return;
  if (latency.values.empty()) {
    line.Fail(line.text(), "at least one of watch= cycle= prepare= bind= return= gc=");
  }
  for (const SetLatency& value : latency.values) line.AddAction(latency.at, value);
}

void ParseBinding(Line& line) {
  BindingLine binding;
  if (!ReadAttributes(line, 1, BindingAttributes(), binding)) return;
  if (!binding.order && !binding.in_flight) line.Fail(line.text(), "order= or in-flight=");
  if (binding.order) line.AddAction(binding.at, SetBindOrder{*binding.order});
  if (binding.in_flight) line.AddAction(binding.at, SetBindsInFlight{*binding.in_flight});
}

void ParseConfig(Line& line) { ReadAttributes(line, 1, ConfigAttributes(), line.scenario()); }

void ParseJitter(Line& line) {
  static const std::vector<Attribute<Scenario>> kTable = {
      {"seed", "a whole number from 1 on",
       [](const Word& w, Scenario& s) { return ReadNumberInto(w, s.jitter_seed, 1, INT64_MAX); }},
      {"max", kTimeExpected,
       [](const Word& w, Scenario& s) { return ReadTimeInto(w, s.jitter_max); }}};
  line.scenario().jitter_max = Duration{20};
  if (!ReadAttributes(line, 1, kTable, line.scenario())) return;
  if (line.scenario().jitter_seed == 0) line.Fail(line.text(), "seed=N");
}

void ParseEnd(Line& line) {
  TimeLine time;
  if (!ReadAttributes(line, 1, TimeAttributes(), time)) return;
  line.scenario().end = time.at;
}

}  // namespace phalanx::sim

// Statements about what goes wrong: refusals, restarts, messages, the lead and the clock.
#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

struct FaultLine {
  FaultRule rule;
  Duration at;
};

std::vector<Attribute<FaultLine>> FaultAttributes() {
  using L = FaultLine;
  auto names = [](const Word& w, std::vector<std::string>& out) {
    std::optional<std::vector<std::string>> read = ReadNameList(w.value);
    for (const std::string& name : read.value_or(std::vector<std::string>{})) {
      out.push_back(Qualified(name));
    }
    return read.has_value() && !read->empty();
  };
  return {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"until", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.rule.until); }},
      {"gang", "names of gangs or jobs",
       [names](const Word& w, L& l) { return names(w, l.rule.pods.groups); }},
      {"pod", "names of pods", [names](const Word& w, L& l) { return names(w, l.rule.pods.pods); }},
      {"node", "the name of a node",
       [](const Word& w, L& l) {
         l.rule.node = w.value;
         return !w.value.empty();
       }},
      {"times", "a whole number from 1 on",
       [](const Word& w, L& l) { return ReadNumberInto(w, l.rule.times, 1, INT64_MAX); }},
      {"message", "a text",
       [](const Word& w, L& l) {
         l.rule.message = w.value;
         return !w.value.empty();
       }},
  };
}

bool ReadStage(const Word& word, FaultLine& line) {
  static const std::map<std::string, FaultStage> kStages = {{"filter", FaultStage::kFilter},
                                                            {"reserve", FaultStage::kReserve},
                                                            {"prebind", FaultStage::kPreBind}};
  auto it = kStages.find(word.value);
  if (it != kStages.end()) line.rule.stage = it->second;
  return it != kStages.end();
}

void AddFaultAction(Line& line, FaultLine& fault) {
  if (!line.CheckGroups(fault.rule.pods.groups) || !line.CheckPods(fault.rule.pods.pods)) return;
  line.AddAction(fault.at, AddFault{std::move(fault.rule)});
}

struct RestartLine {
  Duration at;
  Restart restart;
};

struct MessagesLine {
  Duration at;
  std::optional<Duration> until;
  Messages messages;
};

std::vector<Attribute<MessagesLine>> MessagesAttributes() {
  using L = MessagesLine;
  return {
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"until", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.until); }},
      {"late", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.messages.late); }},
      {"twice", "a percentage from 1 to 100",
       [](const Word& w, L& l) { return ReadNumberInto(w, l.messages.twice_percent, 1, 100); }},
      {"lost", "a percentage from 1 to 50",
       [](const Word& w, L& l) { return ReadNumberInto(w, l.messages.lost_percent, 1, 50); }},
  };
}

const std::vector<Attribute<Duration>>& OnlyAt() {
  static const auto* const kTable = new std::vector<Attribute<Duration>>{
      {"at", kTimeExpected, [](const Word& w, Duration& at) { return ReadTimeInto(w, at); }}};
  return *kTable;
}

}  // namespace

void ParseRefuse(Line& line) {
  std::vector<Attribute<FaultLine>> table = FaultAttributes();
  table.push_back({"plugin", "the name of a scheduler plugin", [](const Word& w, FaultLine& l) {
                     l.rule.plugin = w.value;
                     return !w.value.empty();
                   }});
  table.push_back({"stage", "filter, reserve or prebind", ReadStage});
  table.push_back(
      {"pod-refused", "", [](const Word&, FaultLine& l) { return l.rule.pod_refused = true; }});
  FaultLine fault;
  if (ReadAttributes(line, 1, table, fault)) AddFaultAction(line, fault);
}

void ParseRefuseBind(Line& line) {
  std::vector<Attribute<FaultLine>> table = FaultAttributes();
  table.push_back({"code", "an HTTP status from 400 to 599, or 0 for no answer",
                   [](const Word& w, FaultLine& l) {
                     return w.value == "0" ? ReadNumberInto(w, l.rule.code, 0, 0)
                                           : ReadNumberInto(w, l.rule.code, 400, 599);
                   }});
  table.push_back({"commits", "", [](const Word&, FaultLine& l) { return l.rule.commits = true; }});
  FaultLine fault;
  fault.rule.stage = FaultStage::kBind;
  if (ReadAttributes(line, 1, table, fault)) AddFaultAction(line, fault);
}

void ParseRefusePod(Line& line) {
  std::vector<Attribute<FaultLine>> table = FaultAttributes();
  FaultLine fault;
  fault.rule.stage = FaultStage::kKubelet;
  fault.rule.message = "UnexpectedAdmissionError";
  if (ReadAttributes(line, 1, table, fault)) AddFaultAction(line, fault);
}

void ParseRestart(Line& line) {
  static const std::vector<Attribute<RestartLine>> kTable = {
      {"at", kTimeExpected, [](const Word& w, RestartLine& r) { return ReadTimeInto(w, r.at); }},
      {"slow", kTimeExpected,
       [](const Word& w, RestartLine& r) { return ReadTimeInto(w, r.restart.slow); }},
      {"down", kTimeExpected,
       [](const Word& w, RestartLine& r) { return ReadTimeInto(w, r.restart.down); }}};
  static const std::map<std::string, Process> kProcesses = {{"adapter", Process::kAdapter},
                                                            {"brain", Process::kBrain},
                                                            {"both", Process::kBoth},
                                                            {"leader", Process::kLeader}};
  const std::string* which = line.Bare(1, "adapter, brain, both or leader");
  RestartLine restart;
  if (!which || !ReadAttributes(line, 2, kTable, restart)) return;
  auto it = kProcesses.find(*which);
  if (it == kProcesses.end()) {
    line.FailUnknown(*which, "adapter, brain, both or leader",
                     {"adapter", "brain", "both", "leader"});
    return;
  }
  restart.restart.process = it->second;
  line.AddAction(restart.at, restart.restart);
}

void ParseMessages(Line& line) {
  MessagesLine messages;
  if (!ReadAttributes(line, 1, MessagesAttributes(), messages)) return;
  line.AddAction(messages.at, SetMessages{messages.messages});
  if (messages.until) line.AddAction(*messages.until, SetMessages{});
}

void ParseCut(Line& line) {
  Duration at;
  if (ReadAttributes(line, 1, OnlyAt(), at)) line.AddAction(at, CutStream{});
}

void ParseLead(Line& line) {
  const std::string* what = line.Bare(1, "lost or held");
  Duration at;
  if (!what || !ReadAttributes(line, 2, OnlyAt(), at)) return;
  if (*what != "lost" && *what != "held") {
    line.FailUnknown(*what, "lost or held", {"lost", "held"});
    return;
  }
  line.AddAction(at, SetLeading{*what == "held"});
}

void ParseClock(Line& line) {
  struct ClockLine {
    Duration at;
    std::optional<Duration> by;
  };
  static const std::vector<Attribute<ClockLine>> kTable = {
      {"at", kTimeExpected, [](const Word& w, ClockLine& c) { return ReadTimeInto(w, c.at); }},
      {"ahead", kTimeExpected, [](const Word& w, ClockLine& c) { return ReadTimeInto(w, c.by); }},
      {"back", kTimeExpected, [](const Word& w, ClockLine& c) {
         if (!ReadTimeInto(w, c.by)) return false;
         c.by = Duration{-c.by->ms};
         return true;
       }}};
  ClockLine clock;
  if (!ReadAttributes(line, 1, kTable, clock)) return;
  if (!clock.by) {
    line.Fail(line.text(), "ahead=TIME or back=TIME");
    return;
  }
  line.AddAction(clock.at, JumpClock{*clock.by});
}

}  // namespace phalanx::sim

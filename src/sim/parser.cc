#include "sim/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

using Statement = void (*)(Line&);

const std::map<std::string, Statement>& Statements() {
  static const auto* const kStatements = new std::map<std::string, Statement>{
      {"node", ParseNode},
      {"nvl72", ParseNvl72},
      {"hgx", ParseHgx},
      {"rack", ParseRack},
      {"gang", ParseGang},
      {"member", ParseMember},
      {"job", ParseJob},
      {"foreign", ParseForeign},
      {"podgroup", ParsePodGroup},
      {"topology", ParseTopology},
      {"shared", ParseShared},
      {"queue", ParseQueue},
      {"set", ParseSet},
      {"cordon", ParseNodeState},
      {"uncordon", ParseNodeState},
      {"ready", ParseNodeState},
      {"notready", ParseNodeState},
      {"delete", ParseDelete},
      {"ungate", ParseUngate},
      {"finish", ParseEndWork},
      {"fail", ParseEndWork},
      {"refuse", ParseRefuse},
      {"refuse-bind", ParseRefuseBind},
      {"latency", ParseLatency},
      {"binding", ParseBinding},
      {"restart", ParseRestart},
      {"config", ParseConfig},
      {"jitter", ParseJitter},
      {"end", ParseEnd},
      {"crd", ParseCrd},
      {"expect", ParseExpect},
      {"messages", ParseMessages},
      {"cut", ParseCut},
      {"lead", ParseLead},
      {"clock", ParseClock},
      {"refuse-pod", ParseRefusePod},
  };
  return *kStatements;
}

std::string Trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

void ParseLine(Draft& draft, int number, const std::string& text) {
  if (text.starts_with("why:")) {
    std::string& why = draft.result.scenario.why;
    why += (why.empty() ? "" : " ") + Trimmed(text.substr(4));
    return;
  }
  std::string error;
  std::optional<std::vector<Word>> words = SplitWords(text, &error);
  Line line(draft, number, text, words.value_or(std::vector<Word>{}));
  if (!words) {
    line.Fail(text, "a complete line: " + error);
    return;
  }
  if (words->empty()) return;
  auto it = Statements().find(words->front().Text());
  if (it != Statements().end()) {
    it->second(line);
    return;
  }
  std::vector<std::string> known = {"why:"};
  for (const auto& [name, statement] : Statements()) known.push_back(name);
  line.FailUnknown(words->front().Text(), "a statement", known);
}

void Finish(Draft& draft, FileKind kind) {
  Scenario& scenario = draft.result.scenario;
  std::stable_sort(scenario.actions.begin(), scenario.actions.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  if (kind == FileKind::kWorld) return;
  if (scenario.why.empty()) {
    draft.result.errors.push_back(
        {scenario.file, 1, "", "a line 'why: …' that says what breaks without this scenario"});
  }
  if (scenario.expectations.empty()) {
    draft.result.errors.push_back({scenario.file, 1, "", "at least one 'expect' line"});
  }
}

}  // namespace

std::string ParseError::Text() const {
  return fmt::format("{}:{}: '{}': expected {}", file, line, value, expected);
}

ParseResult ParseScenario(std::string_view text, std::string file, FileKind kind) {
  Draft draft;
  draft.result.scenario.file = std::move(file);
  int number = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    ParseLine(draft, ++number, Trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Finish(draft, kind);
  return std::move(draft.result);
}

}  // namespace phalanx::sim

// Statements about objects other than nodes and pods.
#include <nlohmann/json.hpp>

#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

struct PodGroupLine {
  Duration at;
  std::string min;
  std::string timeout;
};

const std::vector<Attribute<PodGroupLine>>& PodGroupAttributes() {
  using L = PodGroupLine;
  const auto text = [](std::string L::*field) {
    return [field](const Word& w, L& l) {
      l.*field = w.value;
      return true;
    };
  };
  static const auto* const kTable = new std::vector<Attribute<L>>{
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"min", "the text of spec.minMember", text(&L::min)},
      {"timeout", "the text of spec.scheduleTimeoutSeconds", text(&L::timeout)}};
  return *kTable;
}

// What is JSON stands as it is written, all else as a string: the brain judges it.
nlohmann::json Literal(const std::string& text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

std::string PodGroupJson(const PodGroupLine& line) {
  nlohmann::json spec = nlohmann::json::object();
  if (!line.min.empty()) spec["minMember"] = Literal(line.min);
  if (!line.timeout.empty()) spec["scheduleTimeoutSeconds"] = Literal(line.timeout);
  return nlohmann::json{{"spec", spec}}.dump();
}

}  // namespace

void ParsePodGroup(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a PodGroup", true);
  PodGroupLine group;
  if (!names || !ReadAttributes(line, 2, PodGroupAttributes(), group)) return;
  for (const std::string& name : *names) {
    line.draft().pod_groups.insert(name);
    line.AddAction(group.at, SetPodGroup{name, PodGroupJson(group)});
  }
}

void ParseDeletePodGroup(Line& line, Duration at) {
  std::optional<std::vector<std::string>> names = line.Names(2, "the name of a PodGroup", true);
  if (!names || !line.CheckPodGroups(*names)) return;
  for (const std::string& name : *names) line.AddAction(at, RemovePodGroup{name});
}

}  // namespace phalanx::sim

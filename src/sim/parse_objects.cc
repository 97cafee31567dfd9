// Statements about objects other than nodes and pods.
#include <nlohmann/json.hpp>

#include "sim/parse_line.h"
#include "wire/dialects/pod_group.h"
#include "wire/dialects/topology.h"

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

ObjectKey PodGroupKey(const std::string& name) {
  auto [ns, rest] = SplitQualified(name);
  return {wire::kPodGroupKind, ns, rest};
}

ObjectKey TopologyKey() { return {wire::kClusterTopologyKind, "", "default"}; }

struct QueueLine {
  Duration at;
  nlohmann::json spec = nlohmann::json::object();
};

const std::vector<Attribute<QueueLine>>& QueueAttributes() {
  using L = QueueLine;
  const auto field = [](const char* path) {
    return [path](const Word& w, L& l) {
      l.spec[nlohmann::json::json_pointer(path)] = Literal(w.value);
      return true;
    };
  };
  static const auto* const kTable = new std::vector<Attribute<L>>{
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"parent", "the text of spec.parent", field("/parent")},
      {"limit", "the text of spec.limit.devices", field("/limit/devices")},
      {"paused", "the text of spec.paused.reason", field("/paused/reason")},
      {"paused_by", "the text of spec.paused.by", field("/paused/by")}};
  return *kTable;
}

std::string PodGroupJson(const PodGroupLine& line) {
  nlohmann::json spec = nlohmann::json::object();
  if (!line.min.empty()) spec["minMember"] = Literal(line.min);
  if (!line.timeout.empty()) spec["scheduleTimeoutSeconds"] = Literal(line.timeout);
  return nlohmann::json{{"spec", spec}}.dump();
}

struct TopologyLine {
  Duration at;
  nlohmann::json levels = nlohmann::json::array();

  nlohmann::json* Level(const std::string& name) {
    for (nlohmann::json& level : levels) {
      if (level["name"] == name) return &level;
    }
    return nullptr;
  }
};

// The uplink of a level that stands before it on the line.
bool ReadUplink(const Word& word, TopologyLine& line, const char* field, nlohmann::json value) {
  nlohmann::json* level = line.Level(word.key.substr(word.key.find(':') + 1));
  if (level != nullptr) (*level)["uplink"][field] = std::move(value);
  return level != nullptr;
}

const std::vector<Attribute<TopologyLine>>& TopologyAttributes() {
  using L = TopologyLine;
  static const auto* const kTable = new std::vector<Attribute<L>>{
      {"at", kTimeExpected, [](const Word& w, L& l) { return ReadTimeInto(w, l.at); }},
      {"level:", "the key of a node label",
       [](const Word& w, L& l) {
         l.levels.push_back({{"name", w.key.substr(w.key.find(':') + 1)}, {"nodeLabel", w.value}});
         return true;
       }},
      {"uplink:", "GB/s of a level that stands before",
       [](const Word& w, L& l) { return ReadUplink(w, l, "gigabytesPerSecond", w.value); }},
      {"hard:", "true or false, of a level that stands before",
       [](const Word& w, L& l) { return ReadUplink(w, l, "hard", Literal(w.value)); }}};
  return *kTable;
}

}  // namespace

void ParseTopology(Line& line) {
  TopologyLine topology;
  if (!ReadAttributes(line, 1, TopologyAttributes(), topology)) return;
  const nlohmann::json spec = {{"levels", topology.levels}};
  line.AddAction(topology.at, SetObject{TopologyKey(), nlohmann::json{{"spec", spec}}.dump()});
}

void ParsePodGroup(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a PodGroup", true);
  PodGroupLine group;
  if (!names || !ReadAttributes(line, 2, PodGroupAttributes(), group)) return;
  for (const std::string& name : *names) {
    line.draft().pod_groups.insert(name);
    line.AddAction(group.at, SetObject{PodGroupKey(name), PodGroupJson(group)});
  }
}

// `shared scratch=500M ansys=2 at=5s`: what all nodes share is this from then on.
void ParseShared(Line& line) {
  Duration at;
  nlohmann::json pools = nlohmann::json::array();
  for (size_t i = 1; i < line.words().size(); ++i) {
    const Word& word = line.words()[i];
    if (word.key == "at") {
      if (!ReadTimeInto(word, at)) line.Fail(word.Text(), kTimeExpected);
    } else if (word.value.empty()) {
      line.Fail(word.Text(), "NAME=CAPACITY");
    } else {
      pools.push_back({{"name", word.key}, {"capacity", Literal(word.value)}});
    }
  }
  const nlohmann::json object{{"spec", {{"sharedResources", std::move(pools)}}}};
  line.AddAction(at, SetObject{TopologyKey(), object.dump()});
}

void ParseDeletePodGroup(Line& line, Duration at) {
  std::optional<std::vector<std::string>> names = line.Names(2, "the name of a PodGroup", true);
  if (!names || !line.CheckPodGroups(*names)) return;
  for (const std::string& name : *names) line.AddAction(at, RemoveObject{PodGroupKey(name)});
}

void ParseQueue(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a GangQueue", false);
  QueueLine queue;
  if (!names || !ReadAttributes(line, 2, QueueAttributes(), queue)) return;
  for (const std::string& name : *names) {
    line.draft().queues.insert(name);
    line.AddAction(queue.at, SetObject{{kGangQueueKind, "", name},
                                       nlohmann::json{{"spec", queue.spec}}.dump()});
  }
}

void ParseDeleteQueue(Line& line, Duration at) {
  std::optional<std::vector<std::string>> names = line.Names(2, "the name of a GangQueue", false);
  if (!names || !line.CheckQueues(*names)) return;
  for (const std::string& name : *names) {
    line.AddAction(at, RemoveObject{{kGangQueueKind, "", name}});
  }
}

}  // namespace phalanx::sim

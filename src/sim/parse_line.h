// What the statements of the grammar share: one line with its errors, and tables of attributes.
#ifndef PHALANX_SIM_PARSE_LINE_H_
#define PHALANX_SIM_PARSE_LINE_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/parser.h"
#include "sim/scenario.h"
#include "sim/text.h"

namespace phalanx::sim {

// The scenario under construction and what its lines may refer to.
struct Draft {
  ParseResult result;
  std::set<std::string> nodes;
  std::map<std::string, std::vector<size_t>> pods_of_group;  // indexes of result.scenario.actions
  std::set<std::string> pods;                                // "NS/NAME"
  std::set<std::string> pod_groups;                          // "NS/NAME"
  std::set<std::string> queues;
  std::map<std::string, int> expect_lines;  // group -> line of its first mention
};

class Line {
 public:
  Line(Draft& draft, int number, std::string text, std::vector<Word> words)
      : draft_(draft), number_(number), text_(std::move(text)), words_(std::move(words)) {}

  Draft& draft() { return draft_; }
  Scenario& scenario() { return draft_.result.scenario; }
  int number() const { return number_; }
  const std::string& text() const { return text_; }
  const std::vector<Word>& words() const { return words_; }

  // Notes an error; returns false, so that a reader can say `return line.Fail(...)`.
  bool Fail(std::string value, std::string expected);
  // The same for a word that is not one of `known`: names the nearest one.
  bool FailUnknown(const std::string& word, std::string what,
                   const std::vector<std::string>& known);

  // The bare word at `index`, or an error that says what belongs there.
  const std::string* Bare(size_t index, const std::string& expected);
  // Names at `index`: "n[1-4]" or "[n1 n2]". Qualified ones get "default/" where no "/" is.
  std::optional<std::vector<std::string>> Names(size_t index, const std::string& expected,
                                                bool qualified);
  // Whether each name is known; the error names the nearest one.
  bool CheckGroups(const std::vector<std::string>& names);
  bool CheckPods(const std::vector<std::string>& names);
  bool CheckNodes(const std::vector<std::string>& names);
  bool CheckPodGroups(const std::vector<std::string>& names);
  bool CheckQueues(const std::vector<std::string>& names);

  template <class What>
  void AddAction(Duration at, What what) {
    scenario().actions.push_back(Action{at, number_, std::move(what)});
  }

 private:
  Draft& draft_;
  int number_;
  std::string text_;
  std::vector<Word> words_;
};

std::string Qualified(const std::string& name);
std::pair<std::string, std::string> SplitQualified(const std::string& name);

// One attribute of a statement. `name` ending in ':' stands for every key with that prefix, and
// "RESOURCE/NAME" for every key with a slash and no prefix.
template <class T>
struct Attribute {
  std::string name;
  std::string expected;  // what the value should be; empty: a flag without a value
  std::function<bool(const Word&, T&)> read;
};

inline constexpr char kAnyResource[] = "RESOURCE/NAME";
inline constexpr char kTimeExpected[] = "a time such as 200ms, 5s or 1h30m";

template <class T>
const Attribute<T>* FindAttribute(const std::vector<Attribute<T>>& table, const std::string& key) {
  for (const Attribute<T>& a : table) {
    bool prefix = a.name.ends_with(':');
    if (!prefix && a.name == key) return &a;
    if (prefix && key.size() > a.name.size() && key.starts_with(a.name)) return &a;
  }
  if (key.find('/') == std::string::npos || key.find(':') != std::string::npos) return nullptr;
  for (const Attribute<T>& a : table) {
    if (a.name == kAnyResource) return &a;
  }
  return nullptr;
}

// Applies the words from `first` on to `target`.
template <class T>
bool ReadAttributes(Line& line, size_t first, const std::vector<Attribute<T>>& table, T& target) {
  bool good = true;
  for (size_t i = first; i < line.words().size(); ++i) {
    const Word& word = line.words()[i];
    const Attribute<T>* attribute = FindAttribute(table, word.key);
    if (!attribute) {
      std::vector<std::string> known;
      known.reserve(table.size());
      for (const Attribute<T>& a : table) known.push_back(a.name);
      good = line.FailUnknown(word.key, "an attribute of '" + line.words()[0].key + "'", known);
      continue;
    }
    bool flag = attribute->expected.empty();
    if (flag && word.op != CompareOp::kNone) {
      good = line.Fail(word.Text(), "'" + word.key + "' without a value");
    } else if (!flag && word.op != CompareOp::kEqual) {
      good = line.Fail(word.Text(), word.key + "=" + attribute->expected);
    } else if (!attribute->read(word, target)) {
      good = line.Fail(word.Text(), flag ? "'" + word.key + "' here" : attribute->expected);
    }
  }
  return good;
}

// gpu=, cpu=, memory=, …, RESOURCE/NAME= into the quantities that `map` finds in a T.
template <class T>
void AddResourceAttributes(std::vector<Attribute<T>>& table, std::function<QuantityMap&(T&)> map) {
  auto read = [map](const Word& word, T& target) {
    std::string resource = word.key == "gpu" ? "nvidia.com/gpu" : word.key;
    std::optional<int64_t> quantity = ReadQuantity(resource, word.value);
    if (quantity) map(target)[resource] = *quantity;
    return quantity.has_value();
  };
  for (const char* name : {"gpu", "pods", kAnyResource}) {
    table.push_back({name, "a whole number from 0 to 2^46", read});
  }
  table.push_back({"cpu", "a number of cores from 0 on, or millicores such as 500m", read});
  for (const char* name : {"memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi"}) {
    table.push_back({name, "a number of bytes up to 64Ti, such as 512Gi", read});
  }
}

// KEY=VALUE, stored under the key behind the prefix.
inline bool ReadLabelInto(const Word& word, LabelMap& labels) {
  labels[word.key.substr(word.key.find(':') + 1)] = word.value;
  return true;
}
template <class Number>
bool ReadNumberInto(const Word& word, Number& out, int64_t low, int64_t high) {
  std::optional<int64_t> n = ReadInteger(word.value);
  if (!n || *n < low || *n > high) return false;
  out = static_cast<Number>(*n);
  return true;
}
template <class Time>
bool ReadTimeInto(const Word& word, Time& out) {
  std::optional<Duration> d = ReadDuration(word.value);
  if (d) out = *d;
  return d.has_value();
}
// KEY[=VALUE]:EFFECT
std::optional<Taint> ReadTaint(const std::string& text);

// Statements. Each reads one line into the draft; errors are noted there.
void ParseNode(Line& line);
void ParseNvl72(Line& line);
void ParseHgx(Line& line);
void ParseRack(Line& line);
void ParseGang(Line& line);
void ParseMember(Line& line);
void ParseJob(Line& line);
void ParseForeign(Line& line);
void ParsePodGroup(Line& line);
void ParseShared(Line& line);
void ParseDeletePodGroup(Line& line, Duration at);  // of ParseDelete
void ParseTopology(Line& line);
void ParseQueue(Line& line);
void ParseDeleteQueue(Line& line, Duration at);  // of ParseDelete
void ParseSet(Line& line);
void ParseNodeState(Line& line);  // cordon, uncordon, ready, notready
void ParseDelete(Line& line);
void ParseCrd(Line& line);
void ParseUngate(Line& line);
void ParseEndWork(Line& line);  // finish, fail
void ParseRefuse(Line& line);
void ParseRefuseBind(Line& line);
void ParseRefusePod(Line& line);
void ParseMessages(Line& line);
void ParseCut(Line& line);
void ParseLead(Line& line);
void ParseClock(Line& line);
void ParseLatency(Line& line);
void ParseBinding(Line& line);
void ParseRestart(Line& line);
void ParseConfig(Line& line);
void ParseJitter(Line& line);
void ParseEnd(Line& line);
void ParseExpect(Line& line);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PARSE_LINE_H_

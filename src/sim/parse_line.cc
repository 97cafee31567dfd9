#include "sim/parse_line.h"

#include <fmt/format.h>

namespace phalanx::sim {
namespace {

template <class Names>
bool CheckKnown(Line& line, const std::vector<std::string>& names, const Names& known,
                const std::string& what) {
  for (const std::string& name : names) {
    if (known.find(name) != known.end()) continue;
    std::vector<std::string> candidates;
    for (const auto& entry : known) {
      if constexpr (std::is_same_v<std::decay_t<decltype(entry)>, std::string>) {
        candidates.push_back(entry);
      } else {
        candidates.push_back(entry.first);
      }
    }
    return line.FailUnknown(name, what, candidates);
  }
  return true;
}

}  // namespace

bool Line::Fail(std::string value, std::string expected) {
  draft_.result.errors.push_back({scenario().file, number_, std::move(value), std::move(expected)});
  return false;
}

bool Line::FailUnknown(const std::string& word, std::string what,
                       const std::vector<std::string>& known) {
  std::string nearest = Nearest(word, known);
  if (!nearest.empty()) return Fail(word, fmt::format("{}; did you mean '{}'?", what, nearest));
  if (known.size() > 40 || known.empty()) return Fail(word, std::move(what));
  return Fail(word, fmt::format("{}: one of {}", what, fmt::join(known, " ")));
}

const std::string* Line::Bare(size_t index, const std::string& expected) {
  if (index < words_.size() && words_[index].op == CompareOp::kNone) return &words_[index].key;
  Fail(index < words_.size() ? words_[index].Text() : text_, expected);
  return nullptr;
}

std::optional<std::vector<std::string>> Line::Names(size_t index, const std::string& expected,
                                                    bool qualified) {
  const std::string* word = Bare(index, expected);
  if (!word) return std::nullopt;
  std::string_view text = *word;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::optional<std::vector<std::string>> names = ReadNameList(text);
  if (!names || names->empty()) {
    Fail(*word, expected + ", such as x, x[1-4] or [x y]");
    return std::nullopt;
  }
  for (std::string& name : *names) {
    if (qualified && name != "*") name = Qualified(name);
  }
  return names;
}

bool Line::CheckGroups(const std::vector<std::string>& names) {
  return CheckKnown(*this, names, draft_.pods_of_group, "a gang or job that was declared above");
}

bool Line::CheckPods(const std::vector<std::string>& names) {
  return CheckKnown(*this, names, draft_.pods, "a pod that was declared above");
}

bool Line::CheckNodes(const std::vector<std::string>& names) {
  return CheckKnown(*this, names, draft_.nodes, "a node that was declared above");
}

bool Line::CheckPodGroups(const std::vector<std::string>& names) {
  return CheckKnown(*this, names, draft_.pod_groups, "a PodGroup that a line above declares");
}

bool Line::CheckQueues(const std::vector<std::string>& names) {
  return CheckKnown(*this, names, draft_.queues, "a GangQueue that a line above declares");
}

std::string Qualified(const std::string& name) {
  return name.find('/') == std::string::npos ? "default/" + name : name;
}

std::pair<std::string, std::string> SplitQualified(const std::string& name) {
  size_t slash = name.find('/');
  return {name.substr(0, slash), name.substr(slash + 1)};
}

std::optional<Taint> ReadTaint(const std::string& text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string effect = text.substr(colon + 1);
  Taint taint;
  size_t equal = text.find('=');
  taint.key = text.substr(0, std::min(equal, colon));
  if (equal < colon) taint.value = text.substr(equal + 1, colon - equal - 1);
  if (effect == "NoSchedule") {
    taint.effect = TaintEffect::kNoSchedule;
  } else if (effect == "PreferNoSchedule") {
    taint.effect = TaintEffect::kPreferNoSchedule;
  } else if (effect == "NoExecute") {
    taint.effect = TaintEffect::kNoExecute;
  } else {
    return std::nullopt;
  }
  if (taint.key.empty()) return std::nullopt;
  return taint;
}

}  // namespace phalanx::sim

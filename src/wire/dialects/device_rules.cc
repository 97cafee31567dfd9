#include "wire/dialects/device_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr int64_t kMebi = int64_t{1} << 20;
constexpr int64_t kMostPart = 1'000'000;  // of a version

using Terms = std::vector<NodeSelectorTerm>;

NodeRequirement Above(std::string label, int64_t number, std::string because) {
  NodeRequirement out{.key = std::move(label), .op = SelectorOp::kGt};
  out.values = {fmt::format("{}", number)};
  out.because = std::move(because);
  return out;
}

std::optional<Terms> MemoryTerms(const std::string& text, const std::string& because) {
  const std::optional<int64_t> bytes = ParseQuantity(text);
  if (!bytes || *bytes < 1 || *bytes > kMaxQuantity) return std::nullopt;
  const int64_t mebibytes = (*bytes + kMebi - 1) / kMebi;
  return Terms{{Above("nvidia.com/gpu.memory", mebibytes - 1, because)}};
}

// "9.0", "550": the second number is 0 where it is absent.
std::optional<std::pair<int64_t, int64_t>> Version(std::string_view text) {
  const size_t dot = text.find('.');
  const std::optional<uint64_t> major = ParseUint(text.substr(0, dot));
  std::optional<uint64_t> minor = 0;
  if (dot != std::string_view::npos) minor = ParseUint(text.substr(dot + 1));
  if (!major || !minor || *major > kMostPart || *minor > kMostPart) return std::nullopt;
  return std::pair(static_cast<int64_t>(*major), static_cast<int64_t>(*minor));
}

std::optional<Terms> VersionTerms(const std::string& labels, const std::string& text,
                                  const std::string& because) {
  const auto version = Version(text);
  if (!version) return std::nullopt;
  NodeRequirement same{.key = labels + ".major", .op = SelectorOp::kIn};
  same.values = {fmt::format("{}", version->first)};
  same.because = because;
  return Terms{{Above(labels + ".major", version->first, because)},
               {std::move(same), Above(labels + ".minor", version->second - 1, because)}};
}

// One of each holds. No terms hold everywhere.
Terms Both(const Terms& a, const Terms& b) {
  if (a.empty()) return b;
  Terms out;
  for (const NodeSelectorTerm& one : a) {
    for (const NodeSelectorTerm& other : b) {
      NodeSelectorTerm& all = out.emplace_back(one);
      all.insert(all.end(), other.begin(), other.end());
    }
  }
  return out;
}

}  // namespace

void ReadDeviceRules(const LabelMap& annotations, std::vector<NodeSelectorTerm>& terms,
                     std::vector<Problem>& problems) {
  const auto read = [&](const char* key, const char* expected, const auto& parse) {
    const auto it = annotations.find(key);
    if (it == annotations.end()) return;
    const std::string name = std::string(key).substr(std::string_view(key).find('/') + 1);
    const std::optional<Terms> wanted =
        parse(it->second, fmt::format("{} {}", name, Clip(it->second)));
    if (wanted) {
      terms = Both(terms, *wanted);
    } else {
      problems.push_back(
          {fmt::format("metadata.annotations[{}]", key), Clip(it->second), expected});
    }
  };
  read(kMinDeviceMemoryAnnotation, "bytes such as 80G: a whole number with k, M, G, Ki, Mi or Gi",
       MemoryTerms);
  const auto version_of = [](const char* labels) {
    return [labels](const std::string& text, const std::string& because) {
      return VersionTerms(labels, text, because);
    };
  };
  read(kMinCapabilityAnnotation, "a compute capability such as 9.0",
       version_of("nvidia.com/gpu.compute"));
  read(kMinDriverAnnotation, "a version of one or two numbers, such as 550 or 550.54",
       version_of("nvidia.com/cuda.driver-version"));
}

}  // namespace phalanx::wire

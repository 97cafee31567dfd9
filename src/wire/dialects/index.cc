#include "wire/dialects/index.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <limits>
#include <string>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr const char* kKeys[] = {
    "batch.kubernetes.io/job-completion-index",
    "jobset.sigs.k8s.io/job-global-index",
    "leaderworkerset.sigs.k8s.io/worker-index",
    "leaderworkerset.sigs.k8s.io/group-index",
    "training.kubeflow.org/replica-index",
    "training.kubeflow.org/replica-type",
    "apps.kubernetes.io/pod-index",
};

struct Found {
  const std::string* text = nullptr;
  std::string field;
};

Found Find(const LabelMap& labels, const LabelMap& annotations, const char* key) {
  if (auto it = annotations.find(key); it != annotations.end()) {
    return {&it->second, fmt::format("metadata.annotations[{}]", key)};
  }
  if (auto it = labels.find(key); it != labels.end()) {
    return {&it->second, fmt::format("metadata.labels[{}]", key)};
  }
  return {};
}

std::optional<int32_t> Number(const Found& found, Membership& out) {
  const std::optional<int64_t> number = ParseInt(*found.text);
  if (number && *number >= 0 && *number <= std::numeric_limits<int32_t>::max()) {
    return static_cast<int32_t>(*number);
  }
  out.problems.push_back({found.field, Clip(*found.text), "a whole number from 0 on"});
  return std::nullopt;
}

// Any type may stand there: one that is not known counts as one of the rest.
int32_t GroupOfType(const Found& found, Membership& /*out*/) {
  const std::string type = absl::AsciiStrToLower(*found.text);
  if (type == "chief" || type == "master" || type == "launcher") return 0;
  return type == "worker" ? 1 : 2;
}

int32_t GroupOfNumber(const Found& found, Membership& out) {
  return Number(found, out).value_or(0);
}

struct Source {
  const char* index;
  const char* group;  // nullptr: one group
  int32_t (*group_of)(const Found& found, Membership& out);
};
constexpr Source kSources[] = {
    {kKeys[0], kKeys[1], GroupOfNumber},
    {kKeys[2], kKeys[3], GroupOfNumber},
    {kKeys[4], kKeys[5], GroupOfType},
    {kKeys[6], nullptr, nullptr},
};

}  // namespace

void ReadIndex(const LabelMap& labels, const LabelMap& annotations, Membership& out) {
  for (const Source& source : kSources) {
    const Found index = Find(labels, annotations, source.index);
    if (!index.text) continue;
    out.index = Number(index, out);
    const Found group = source.group ? Find(labels, annotations, source.group) : Found();
    if (group.text) out.index_group = source.group_of(group, out);
    return;
  }
}

std::span<const char* const> IndexKeys() { return kKeys; }

}  // namespace phalanx::wire

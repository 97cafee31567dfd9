#include "wire/dialects/pod_group.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "wire/json_read.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

struct Row {
  const char* label;
  const char* kind;
  const char* source;
};
constexpr Row kRows[] = {{kPodGroupLabel, kPodGroupKind, kPodGroupSource},
                         {kOldPodGroupLabel, kOldPodGroupKind, kOldPodGroupSource},
                         {kOldestPodGroupLabel, kOldPodGroupKind, kOldPodGroupSource}};

// The size stands in the object; a pod that says another one is followed in neither.
void RefuseOwnSize(const PodText& pod, Membership& out) {
  const auto refuse = [&out](const LabelMap& map, const char* key, const char* where) {
    auto it = map.find(key);
    if (it == map.end()) return;
    out.problems.push_back({fmt::format("metadata.{}[{}]", where, key), Clip(it->second),
                            fmt::format("nothing here without {}: spec.minMember of {} says it",
                                        kGangLabel, ToString(*out.terms_object))});
  };
  refuse(pod.labels, kGangSizeLabel, "labels");
  refuse(pod.annotations, kGangMinAnnotation, "annotations");
}

Membership Named(const PodText& pod, const Row& row, const std::string& name) {
  Membership out;
  out.gang = {pod.ns, row.source, name};
  out.terms_object = ObjectKey{row.kind, pod.ns, name};
  out.sized_by_object = true;
  if (!IsLabelValue(name)) {
    out.problems.push_back({fmt::format("metadata.labels[{}]", row.label), Clip(name),
                            "the name of a PodGroup in the pod's own namespace"});
  }
  ReadSharedKeys(pod, out);
  return out;
}

void RefuseOtherNames(const PodText& pod, const Row& row, const std::string& name,
                      Membership& out) {
  for (const Row& other : kRows) {
    auto label = pod.labels.find(other.label);
    if (label == pod.labels.end() || label->second == name) continue;
    out.problems.push_back({fmt::format("metadata.labels[{}]", other.label), Clip(label->second),
                            fmt::format("{}, as in {}, or no such label", Clip(name), row.label)});
  }
}

void ReadMinMember(const nlohmann::json& json, GangTerms& terms, ApiObject& out) {
  const nlohmann::json* value = FindField(json, {"spec", "minMember"});
  std::optional<int64_t> min = value ? WholeNumber(*value) : std::nullopt;
  if (min && *min >= 1 && *min <= kMaxGangSize) {
    terms.min = static_cast<int32_t>(*min);
    return;
  }
  out.problems.push_back({"spec.minMember", value ? Show(*value) : "",
                          fmt::format("a whole number from 1 to {}", kMaxGangSize)});
}

void ReadTimeout(const nlohmann::json& json, GangTerms& terms, ApiObject& out) {
  const nlohmann::json* value = FindField(json, {"spec", "scheduleTimeoutSeconds"});
  if (!value) return;
  std::optional<int64_t> seconds = WholeNumber(*value);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (!seconds || *seconds < 0 || *seconds > kMost) {
    out.problems.push_back({"spec.scheduleTimeoutSeconds", Show(*value),
                            fmt::format("a whole number from 0 to {}", kMost)});
    return;
  }
  if (*seconds > 0) terms.reserve_deadline = Duration::Seconds(*seconds);
}

}  // namespace

std::optional<Membership> ReadPodGroupDialect(const PodText& pod) {
  for (const Row& row : kRows) {
    auto label = pod.labels.find(row.label);
    if (label == pod.labels.end()) continue;
    if (label->second.empty()) return GangOfOne(pod);
    Membership out = Named(pod, row, label->second);
    if (!pod.labels.contains(kGangLabel)) RefuseOwnSize(pod, out);
    RefuseOtherNames(pod, row, label->second, out);
    return out;
  }
  return std::nullopt;
}

void ReadPodGroup(const nlohmann::json& json, ApiObject& out) {
  GangTerms terms;
  ReadMinMember(json, terms, out);
  ReadTimeout(json, terms, out);
  out.body = terms;
}

}  // namespace phalanx::wire

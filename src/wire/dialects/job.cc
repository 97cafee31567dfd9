#include "wire/dialects/job.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "wire/decode.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::json;

constexpr int64_t kDefaultBackoffLimit = 6;
constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();

// The member `key`, or null where there is none.
const Json& At(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  auto it = object.find(key);
  return it == object.end() ? kNull : *it;
}

int64_t Count(const Json& value, int64_t absent) {
  return value.is_number_integer() ? value.get<int64_t>() : absent;
}

std::string Text(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

bool NamesDisruption(const Json& rule) {
  const Json& conditions = At(rule, "onPodConditions");
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    const std::string status = Text(At(condition, "status"));
    return Text(At(condition, "type")) == "DisruptionTarget" &&
           (status.empty() || status == "True");
  });
}

// The first rule that matches decides. Rules for exit codes do not match a pod that never ran.
bool IgnoresDisruption(const Json& spec) {
  for (const Json& rule : At(At(spec, "podFailurePolicy"), "rules")) {
    if (NamesDisruption(rule)) return Text(At(rule, "action")) == "Ignore";
  }
  return false;
}

int64_t FailuresLeft(const Json& spec, const Json& status) {
  const Json& uncounted = At(At(status, "uncountedTerminatedPods"), "failed");
  const int64_t failed =
      Count(At(status, "failed"), 0) + (uncounted.is_array() ? int64_t(uncounted.size()) : 0);
  const Json& per_index = At(spec, "backoffLimitPerIndex");
  if (per_index.is_null()) {
    return std::max<int64_t>(Count(At(spec, "backoffLimit"), kDefaultBackoffLimit) - failed, 0);
  }
  // Which index has failed before is not told: only where none has, each bears one failure.
  if (failed > 0 || Count(per_index, 0) < 1) return 0;
  return Count(At(spec, "backoffLimit"), kNoLimit);
}

}  // namespace

absl::StatusOr<JobObject> ReadJobObject(const std::string& json) {
  const Json object = Json::parse(json, nullptr, false);
  const Json& spec = At(object, "spec");
  JobObject job;
  job.uid = Text(At(At(object, "metadata"), "uid"));
  if (!spec.is_object() || job.uid.empty()) {
    return ToStatus(
        {"directive_result.object", Clip(json), "the JSON of a Job with metadata.uid and spec"});
  }
  job.failures_left = FailuresLeft(spec, At(object, "status"));
  job.ignores_disruption = IgnoresDisruption(spec);
  return job;
}

}  // namespace phalanx::wire

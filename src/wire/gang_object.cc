#include "wire/gang_object.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// null takes a field away that an earlier status had.
Json OrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json OrNull(Time time) { return time == Time::Never() ? Json() : Json(TimeText(time)); }

Json ExplanationJson(const GangReport& report) {
  const Reason& reason = report.reason;
  if (reason.code == ReasonCode::kNone) return {};
  Json exclusions = Json::array();
  for (const Exclusion& out : reason.exclusions) {
    exclusions.push_back(
        {{"cause", ExclusionName(out.cause)}, {"detail", out.detail}, {"nodes", out.nodes}});
  }
  return {{"have", reason.have},
          {"need", reason.need},
          {"level", OrNull(reason.level)},
          {"domain", OrNull(reason.domain)},
          {"subject", OrNull(reason.subject)},
          {"detail", OrNull(reason.detail)},
          {"member", OrNull(reason.member)},
          {"never", reason.never},
          {"provenThrough", ProvenName(reason.proven)},
          {"exclusions", std::move(exclusions)}};
}

Json MembersJson(const GangReport& report) {
  return {{"size", report.size},           {"min", report.min},
          {"present", report.present},     {"bound", report.bound},
          {"succeeded", report.succeeded}, {"failed", report.failed}};
}

// Started and waited are left out where this process does not know them: an earlier one does.
void PutStart(const GangReport& report, Json& status) {
  if (report.started != Time::Never()) {
    status["startedAt"] = TimeText(report.started);
    status["waited"] = DurationText(report.waited);
  } else if (report.state == GangState::kWaiting || report.state == GangState::kStarting) {
    status["startedAt"] = nullptr;
    status["waited"] = nullptr;
  }
}

// The controller; members that own the object themselves say nothing that its name does not.
std::string OwnerText(const GangObject& object) {
  if (object.owners.empty() || object.owners[0].kind == "Pod") return "";
  return object.owners[0].kind + "/" + object.owners[0].name;
}

Json StatusJson(const GangReport& report) {
  const bool waits = report.state == GangState::kWaiting;
  Json status = {{"state", StateName(report.state)},
                 {"ready", fmt::format("{}/{}", report.bound, report.size)},
                 {"owner", OrNull(OwnerText(report.object))},
                 {"members", MembersJson(report)},
                 {"accelerators", report.accelerators},
                 {"priority", report.priority},
                 {"queue", OrNull(report.queue)},
                 {"position", report.position == 0 ? Json() : Json(report.position)},
                 {"waitingSince", OrNull(report.waiting_since)},
                 {"retryAt", OrNull(report.retry_at)},
                 {"domain", OrNull(report.domain)},
                 {"placement", OrNull(report.placement)},
                 {"failedStarts", report.attempts},
                 {"message", OrNull(report.explanation)}};
  // No estimate is made yet, and a guess is worse than none.
  status["eta"] = waits ? Json{{"basis", "unknown"}, {"text", "unknown"}} : Json();
  status["reason"] =
      report.reason.code == ReasonCode::kNone ? Json() : Json(ReasonName(report.reason.code));
  status["explanation"] = ExplanationJson(report);
  PutStart(report, status);
  status["conditions"] =
      Json::array({ConditionJson("Complete", report.complete), ConditionJson("Ready", report.ready),
                   ConditionJson("Finished", report.finished)});
  return status;
}

}  // namespace

std::string GangManifest(const GangObject& object) {
  Json metadata = {{"name", object.name}, {"namespace", object.gang.ns}};
  for (const OwnerRef& owner : object.owners) {
    metadata["ownerReferences"].push_back({{"apiVersion", owner.api_version},
                                           {"kind", owner.kind},
                                           {"name", owner.name},
                                           {"uid", owner.uid}});
  }
  return Dump({{"apiVersion", fmt::format("{}/{}", kGangGroup, kGangVersion)},
               {"kind", "Gang"},
               {"metadata", std::move(metadata)},
               {"spec", {{"source", object.gang.source}, {"name", object.gang.name}}}});
}

std::string GangStatusPatch(const GangReport& report) {
  return Dump({{"status", StatusJson(report)}});
}

std::string WaitsPatch(const PodWaits& waits) {
  const Json condition = {{"type", "PodScheduled"},
                          {"status", "False"},
                          {"lastTransitionTime", TimeText(waits.since)},
                          {"reason", waits.reason},
                          {"message", waits.message}};
  return Dump({{"metadata", {{"uid", waits.pod_uid}}},
               {"status", {{"conditions", Json::array({condition})}}}});
}

Json ConditionJson(const char* type, const GangCondition& condition) {
  return {{"type", type},
          {"status", condition.holds ? "True" : "False"},
          {"lastTransitionTime", TimeText(condition.since)},
          {"reason", condition.reason},
          {"message", condition.message}};
}

std::string TimeText(Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(time.ms), absl::UTCTimeZone());
}

std::string DurationText(Duration duration) {
  const int64_t seconds = duration.ms / 1000;
  if (seconds < 1) return fmt::format("{}ms", duration.ms);
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  const int64_t hours = seconds / 3600;
  if (hours < 48) return fmt::format("{}h{}m", hours, seconds % 3600 / 60);
  return fmt::format("{}d{}h", hours / 24, hours % 24);
}

}  // namespace phalanx::wire

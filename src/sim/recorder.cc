#include "sim/recorder.h"

#include <nlohmann/json.hpp>

#include "core/explain/reason_text.h"
#include "wire/gang_object.h"
#include "wire/topology_object.h"

namespace phalanx::sim {
namespace {

using Json = nlohmann::ordered_json;

std::string KeyText(const GangKey& key) { return key.ns + "/" + key.name; }

Json ToJson(const Admit& admit) {
  Json members = Json::array();
  for (const AdmitMember& m : admit.members) {
    members.push_back(
        {{"pod", m.pod_namespace + "/" + m.pod_name}, {"node", m.node}, {"rank", m.rank}});
  }
  return {{"kind", "Admit"},
          {"gang", KeyText(admit.gang)},
          {"plan", admit.plan},
          {"domain", admit.domain},
          {"late_barrier", admit.late_barrier},
          {"dry_run", admit.dry_run},
          {"members", std::move(members)}};
}
Json ToJson(const Release& release) {
  return {{"kind", "Release"},
          {"gang", KeyText(release.gang)},
          {"plan", release.plan},
          {"stage", release.stage == ReleaseStage::kBind ? "Bind" : "Prepare"}};
}
Json ToJson(const Reject& reject) {
  return {{"kind", "Reject"},
          {"gang", KeyText(reject.gang)},
          {"plan", reject.plan},
          {"reason", reject.reason}};
}
Json ToJson(const Evict& evict) {
  return {{"kind", "Evict"},
          {"gang", KeyText(evict.gang)},
          {"pod", evict.pod_namespace + "/" + evict.pod_name},
          {"reason", evict.reason}};
}
Json ToJson(const ReadJob& read) {
  return {{"kind", "ReadJob"}, {"gang", KeyText(read.gang)}, {"job", read.ns + "/" + read.name}};
}
Json ToJson(const PodEvent& event) {
  return {{"kind", "Event"},
          {"pod", event.pod_namespace + "/" + event.pod_name},
          {"severity", event.warning ? "Warning" : "Normal"},
          {"reason", event.reason},
          {"message", event.message}};
}

Json ToJson(const PodWaits& waits) {
  return {{"kind", "PodWaits"},
          {"pod", waits.pod_namespace + "/" + waits.pod_name},
          {"reason", waits.reason},
          {"message", waits.message}};
}
Json ToJson(const MakeGang& make) {
  return {{"kind", "MakeGang"}, {"object", make.object.gang.ns + "/" + make.object.name}};
}
Json ToJson(const ShowGang& show) {
  return {{"kind", "ShowGang"},
          {"object", show.report.object.gang.ns + "/" + show.report.object.name},
          {"status", Json::parse(wire::GangStatusPatch(show.report))["status"]}};
}
Json ToJson(const DropGang& drop) {
  return {{"kind", "DropGang"}, {"object", drop.object.gang.ns + "/" + drop.object.name}};
}

Json ToJson(const ShowTopology& show) {
  return {{"kind", "ShowTopology"},
          {"object", ToString(show.report.key)},
          {"status", Json::parse(wire::TopologyStatusPatch(show.report))["status"]}};
}

Json Stamped(Duration elapsed, const char* type) { return {{"t_ms", elapsed.ms}, {"type", type}}; }

}  // namespace

void Recorder::Record(Duration elapsed, const Outcome& outcome) {
  for (const Directive& directive : outcome.directives) {
    Json line = Stamped(elapsed, "directive");
    line["sequence"] = directive.sequence;
    line.update(std::visit([](const auto& body) { return ToJson(body); }, directive.body));
    Line(line.dump(-1, ' ', false, Json::error_handler_t::replace));
    Count(directive.body);
    if (const auto* event = std::get_if<PodEvent>(&directive.body)) {
      events_[event->pod_uid].push_back(event->reason + ": " + event->message);
    }
  }
  static const char* const kKinds[] = {"Unknown", "Loose", "Held", "Planned", "Released"};
  for (const PodAnswer& answer : outcome.answers) {
    answers_[answer.pod_uid] = answer;
    if (!with_answers_) continue;
    Json line = Stamped(elapsed, "answer");
    line.update(Json{{"pod_uid", answer.pod_uid},
                     {"answer", kKinds[static_cast<size_t>(answer.kind)]},
                     {"node", answer.node},
                     {"plan", answer.plan},
                     {"reason", answer.reason}});
    Line(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

void Recorder::Count(const DirectiveBody& body) {
  auto count = [this](const GangKey& gang, int64_t OfGang::*kind) {
    ++(gangs_[gang].*kind);
    ++(totals_.*kind);
  };
  if (const auto* admit = std::get_if<Admit>(&body)) count(admit->gang, &OfGang::admits);
  if (const auto* reject = std::get_if<Reject>(&body)) count(reject->gang, &OfGang::rejects);
  if (const auto* evict = std::get_if<Evict>(&body)) count(evict->gang, &OfGang::evicts);
}

void Recorder::RecordPhase(Duration elapsed, const GangView& gang) {
  auto now = std::pair(gang.phase, gang.reason.code);
  auto [it, fresh] = phases_.try_emplace(gang.key, now);
  if (!fresh && it->second == now) return;
  it->second = now;
  Json line = Stamped(elapsed, "phase");
  line.update(Json{{"gang", KeyText(gang.key)},
                   {"phase", PhaseName(gang.phase)},
                   {"code", ReasonName(gang.reason.code)},
                   {"bound", gang.bound},
                   {"position", gang.position},
                   {"reason", gang.explanation}});
  Line(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Recorder::RecordNote(Duration elapsed, const std::string& kind, const std::string& text) {
  Json line = Stamped(elapsed, kind.c_str());
  line["text"] = text;
  Line(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Recorder::Line(const std::string& json) {
  for (char c : json) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  if (lines_) *lines_ << json << '\n';
}

Recorder::OfGang Recorder::CountsOf(const GangKey& gang) const {
  auto it = gangs_.find(gang);
  return it == gangs_.end() ? OfGang{} : it->second;
}

std::vector<std::string> Recorder::EventsOf(const std::string& pod_uid) const {
  auto it = events_.find(pod_uid);
  return it == events_.end() ? std::vector<std::string>{} : it->second;
}

PodAnswer Recorder::AnswerOf(const std::string& pod_uid) const {
  auto it = answers_.find(pod_uid);
  return it == answers_.end() ? PodAnswer{} : it->second;
}

}  // namespace phalanx::sim

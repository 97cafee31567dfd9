#include "wire/json_view.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void PutText(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

Json ReasonJson(const Reason& reason, const std::string& explanation) {
  Json out = {{"code", Name(reason.code)}};
  PutText(out, "message", explanation);
  out["have"] = reason.have;
  out["need"] = reason.need;
  PutText(out, "level", reason.level);
  PutText(out, "domain", reason.domain);
  PutText(out, "subject", reason.subject);
  PutText(out, "detail", reason.detail);
  PutText(out, "member", reason.member);
  out["never"] = reason.never;
  out["provenThrough"] = ProvenName(reason.proven);
  if (reason.exclusions.empty()) return out;
  Json exclusions = Json::array();
  for (const Exclusion& exclusion : reason.exclusions) {
    Json item = {{"cause", Name(exclusion.cause)}, {"nodes", exclusion.nodes}};
    PutText(item, "detail", exclusion.detail);
    exclusions.push_back(std::move(item));
  }
  out["exclusions"] = std::move(exclusions);
  return out;
}

Json GangJson(const GangView& gang) {
  Json out = {{"namespace", gang.key.ns},  {"source", gang.key.source},
              {"name", gang.key.name},     {"phase", Name(gang.phase)},
              {"size", gang.size},         {"min", gang.min},
              {"present", gang.present},   {"bound", gang.bound},
              {"devices", gang.devices},   {"priority", gang.priority},
              {"attempts", gang.attempts}, {"firstSeenMs", gang.first_seen.ms}};
  if (gang.plan != 0) out["plan"] = gang.plan;
  PutText(out, "domain", gang.domain);
  if (gang.started.ms != 0) out["startedMs"] = gang.started.ms;
  if (gang.position != 0) out["position"] = gang.position;
  if (gang.reason.code != ReasonCode::kNone) {
    out["reason"] = ReasonJson(gang.reason, gang.explanation);
  }
  return out;
}

// "MembersMissing" as a word of the API: "membersMissing".
std::string CamelBack(std::string_view name) {
  std::string word(name);
  word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  return word;
}

Json MemberJson(const MemberView& member) {
  Json out = {{"podUid", member.pod_uid}, {"pod", member.pod_name}, {"state", member.state}};
  PutText(out, "role", member.role);
  PutText(out, "node", member.node);
  if (member.rank >= 0) out["rank"] = member.rank;
  return out;
}

}  // namespace

std::string Name(GangPhase phase) { return CamelBack(PhaseName(phase)); }
std::string Name(ReasonCode code) { return CamelBack(ReasonName(code)); }
std::string Name(ExclusionCause cause) { return CamelBack(ExclusionName(cause)); }

std::string GangsToJson(const std::vector<GangView>& gangs) {
  Json list = Json::array();
  for (const GangView& gang : gangs) list.push_back(GangJson(gang));
  return Dump({{"gangs", std::move(list)}});
}

std::string GangToJson(const GangView& gang) {
  Json out = GangJson(gang);
  Json members = Json::array();
  for (const MemberView& member : gang.members) members.push_back(MemberJson(member));
  out["members"] = std::move(members);
  return Dump(out);
}

std::string NodesToJson(const std::vector<NodeView>& nodes) {
  Json list = Json::array();
  for (const NodeView& node : nodes) {
    list.push_back({{"name", node.name},
                    {"path", node.path},
                    {"ready", node.ready},
                    {"unschedulable", node.unschedulable},
                    {"allocatable", node.allocatable},
                    {"bound", node.bound},
                    {"held", node.held}});
  }
  return Dump({{"nodes", std::move(list)}});
}

std::string TopologyToJson(const TopologyView& topology) {
  Json domains = Json::array();
  for (const DomainView& domain : topology.domains) {
    domains.push_back({{"path", domain.path},
                       {"level", domain.level},
                       {"hosts", domain.hosts},
                       {"allocatable", domain.allocatable},
                       {"free", domain.free}});
  }
  return Dump({{"generation", topology.generation},
               {"levels", topology.levels},
               {"domains", std::move(domains)}});
}

std::string ErrorToJson(int code, const std::string& message) {
  return Dump({{"error", {{"code", code}, {"message", message}}}});
}

}  // namespace phalanx::wire

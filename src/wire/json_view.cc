#include "wire/json_view.h"

#include <nlohmann/json.hpp>

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
  out["provenThrough"] = Name(reason.proven);
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

Json MemberJson(const MemberView& member) {
  Json out = {{"podUid", member.pod_uid}, {"pod", member.pod_name}, {"state", member.state}};
  PutText(out, "role", member.role);
  PutText(out, "node", member.node);
  if (member.rank >= 0) out["rank"] = member.rank;
  return out;
}

}  // namespace

const char* Name(GangPhase phase) {
  switch (phase) {
    case GangPhase::kGathering:
      return "gathering";
    case GangPhase::kQueued:
      return "queued";
    case GangPhase::kHolding:
      return "holding";
    case GangPhase::kStarting:
      return "starting";
    case GangPhase::kRunning:
      return "running";
    case GangPhase::kRepairing:
      return "repairing";
    case GangPhase::kRollingBack:
      return "rollingBack";
    case GangPhase::kSuspended:
      return "suspended";
    case GangPhase::kDone:
      return "done";
  }
  return "";
}

const char* Name(ReasonCode code) {
  switch (code) {
    case ReasonCode::kNone:
      return "none";
    case ReasonCode::kSyncing:
      return "syncing";
    case ReasonCode::kMembersMissing:
      return "membersMissing";
    case ReasonCode::kMembersGated:
      return "membersGated";
    case ReasonCode::kInvalid:
      return "invalid";
    case ReasonCode::kObjectMissing:
      return "objectMissing";
    case ReasonCode::kMembersDisagree:
      return "membersDisagree";
    case ReasonCode::kQueued:
      return "queued";
    case ReasonCode::kCapacity:
      return "capacity";
    case ReasonCode::kFragmentation:
      return "fragmentation";
    case ReasonCode::kTopology:
      return "topology";
    case ReasonCode::kNoSuchNode:
      return "noSuchNode";
    case ReasonCode::kLevelUnknown:
      return "levelUnknown";
    case ReasonCode::kConflict:
      return "conflict";
    case ReasonCode::kLateObjects:
      return "lateObjects";
    case ReasonCode::kReturning:
      return "returning";
    case ReasonCode::kBackoff:
      return "backoff";
    case ReasonCode::kRollingBack:
      return "rollingBack";
  }
  return "";
}

const char* Name(ExclusionCause cause) {
  switch (cause) {
    case ExclusionCause::kNotReady:
      return "notReady";
    case ExclusionCause::kUnschedulable:
      return "unschedulable";
    case ExclusionCause::kTaint:
      return "taint";
    case ExclusionCause::kSelector:
      return "selector";
    case ExclusionCause::kOutOfScope:
      return "outOfScope";
    case ExclusionCause::kLevelMissing:
      return "levelMissing";
    case ExclusionCause::kResourceAbsent:
      return "resourceAbsent";
    case ExclusionCause::kResourceInUse:
      return "resourceInUse";
    case ExclusionCause::kConflict:
      return "conflict";
  }
  return "";
}

const char* Name(ProvenThrough proven) {
  switch (proven) {
    case ProvenThrough::kNothing:
      return "nothing";
    case ProvenThrough::kFeasibility:
      return "feasibility";
    case ProvenThrough::kCounts:
      return "counts";
    case ProvenThrough::kOverrun:
      return "overrun";
    case ProvenThrough::kAll:
      return "all";
  }
  return "";
}

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

#include "core/explain/reason_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/explain/quantity_text.h"
#include "phalanx/help.h"

namespace phalanx {
namespace {

constexpr size_t kExclusionsShown = 4;

int32_t NodesIn(const Reason& reason) {
  int32_t sum = 0;
  for (const Exclusion& exclusion : reason.exclusions) sum += exclusion.nodes;
  return sum;
}

// "; nodes that are out: 3 cordoned, 2 with taint x"
std::string OutNodes(const Reason& reason) {
  const int32_t all = NodesIn(reason);
  std::string out;
  for (size_t i = 0; i < std::min(reason.exclusions.size(), kExclusionsShown); ++i) {
    out += i == 0 ? "; out: " : ", ";
    out += ExplainExclusion(reason.exclusions[i], all);
  }
  if (reason.exclusions.size() > kExclusionsShown) {
    out += fmt::format(", and {} more causes", reason.exclusions.size() - kExclusionsShown);
  }
  return out;
}

// "3 members × nvidia.com/gpu 8", or, where not all are alike,
// "3 of its 4 members (like team/w-1) × nvidia.com/gpu 8".
std::string Members(const Reason& reason, const Asked& asked) {
  std::string out = fmt::format("{} member{}", reason.need, reason.need == 1 ? "" : "s");
  if (!reason.member.empty()) {
    if (asked.members > reason.need) {
      out = fmt::format("{} of its {} members", reason.need, asked.members);
    }
    out += fmt::format(" (like {})", reason.member);
  }
  if (!asked.per_member.empty()) out += " × " + asked.per_member;
  return out;
}

// "; 16 of the 24 nvidia.com/gpu are free"
std::string Sum(const Reason& reason) {
  const size_t of = reason.detail.find(" of ");
  if (reason.subject.empty() || of == std::string::npos) return "";
  return fmt::format("; {} of the {} {} are free", reason.detail.substr(0, of),
                     reason.detail.substr(of + 4), reason.subject);
}

std::string Best(const Reason& reason) {
  return reason.domain.empty() ? std::string("none has room")
                               : fmt::format("best {} has room for {}", reason.domain, reason.have);
}

std::string Capacity(const Reason& reason, const Asked& asked) {
  return fmt::format("needs {}{}; {} of {} members placeable by free room{}{}",
                     Members(reason, asked), Sum(reason), reason.have, reason.need,
                     OutNodes(reason),
                     reason.never ? "; all nodes together would not do even when empty: lower the "
                                    "request or add nodes"
                                  : "; it starts when enough of them become free");
}

std::string Fragmentation(const Reason& reason, const Asked& asked) {
  return fmt::format(
      "needs {}; {} of {} members placeable (fragmentation): enough is free in all, but not on "
      "single nodes; smaller members would fit sooner{}",
      Members(reason, asked), reason.have, reason.need, OutNodes(reason));
}

std::string NoSegments(const Reason& reason, const Asked& asked) {
  return fmt::format(
      "needs {} in segments of {}, each whole in one {}; {} of {} members placeable so{}{}",
      Members(reason, asked), reason.detail, reason.level, reason.have, reason.need,
      OutNodes(reason),
      reason.never ? "; it would not do even when all nodes are empty: ask for smaller segments or "
                     "a coarser level"
                   : "; it starts when enough is free together, or ask for smaller segments");
}

std::string NoSpread(const Reason& reason, const Asked& asked) {
  return fmt::format("needs {}, {} in one {}; {} of {} members placeable so{}{}",
                     Members(reason, asked), reason.detail, reason.level, reason.have, reason.need,
                     OutNodes(reason),
                     reason.never ? "; it would not do even when all nodes are empty: ask for "
                                    "another spread"
                                  : "; it starts when enough is free, or ask for another spread");
}

std::string NoShared(const Reason& reason) {
  const std::string need = QuantityText(reason.need);
  if (reason.have < 0) {
    return fmt::format(
        "needs {} of the shared resource {}, which no ClusterTopology declares: correct the name, "
        "or ask your admin to declare it",
        need, reason.subject);
  }
  const std::string free =
      reason.detail.empty() ? QuantityText(reason.have) + " are free" : reason.detail;
  return fmt::format("needs {} of the shared resource {}; {}{}", need, reason.subject, free,
                     reason.never ? "; all of it would not do: ask for less"
                                  : "; it starts when enough of it is given back");
}

// Members of several gangs need not be alike.
std::string NoGroupDomain(const Reason& reason) {
  return fmt::format(
      "the gangs of group {} need one {} for {} members; {}; they start when one has enough room, "
      "or ask for a coarser level",
      reason.subject, reason.level, reason.need, Best(reason));
}

std::string NoDomain(const Reason& reason, const Asked& asked) {
  if (!reason.detail.empty()) return NoSegments(reason, asked);
  if (!reason.subject.empty()) return NoGroupDomain(reason);
  return fmt::format("needs {} in one {}; {}{}{}", Members(reason, asked), reason.level,
                     Best(reason), OutNodes(reason),
                     reason.never
                         ? "; no domain would do even when empty: ask for a coarser level"
                         : "; it starts when one has enough room, or ask for a coarser level");
}

std::string NoSuchNode(const Reason& reason, const Asked& asked) {
  const std::string who =
      reason.member.empty() ? "the members" : fmt::format("member {}", reason.member);
  if (reason.exclusions.empty()) {
    return fmt::format("{} can run on no node, since there are none: add nodes", who);
  }
  const int32_t all = NodesIn(reason);
  std::string causes;
  for (size_t i = 0; i < std::min(reason.exclusions.size(), kExclusionsShown); ++i) {
    if (i > 0) causes += ", ";
    causes += ExplainExclusion(reason.exclusions[i], all);
  }
  const std::string what =
      asked.per_member.empty() ? "" : fmt::format(" (asks for {})", asked.per_member);
  return fmt::format("no node can take {}{}: {}; change the pod or the nodes", who, what, causes);
}

// "would need 12.5 GB/s over the uplink of leaf-3, 4 GB/s left"
std::string NoUplink(const Reason& reason) {
  return fmt::format(
      "its traffic would need {} over the uplink of {}, {} left of its limit{}",
      GigabytesText(reason.need), reason.domain, GigabytesText(reason.have),
      reason.never
          ? "; it would not do even when nothing else is there: declare less traffic, or "
            "ask for fewer members"
          : "; it starts when there is room together, or when gangs that use the uplink end");
}

std::string Gated(const Reason& reason) {
  return fmt::format("{} of {}, {} gated: {} waits for the scheduling gate {} to be removed",
                     reason.have, reason.need, reason.detail, reason.member, reason.subject);
}

std::string Missing(const Reason& reason) {
  std::string out = fmt::format("{} of {} members are there", reason.have, reason.need);
  if (!reason.subject.empty()) {
    out += fmt::format(", {} gated: {} waits for the scheduling gate {}", reason.detail,
                       reason.member, reason.subject);
  }
  out += "; it is placed when the rest is created";
  if (reason.subject.empty() && !reason.detail.empty()) out += "; " + reason.detail;
  return out;
}

std::string Invalid(const Reason& reason) {
  const std::string who = reason.member.empty() ? "the members" : reason.member;
  return fmt::format("{} of {} {}", reason.subject, who, reason.detail);
}

std::string Disagree(const Reason& reason) {
  return fmt::format("members do not agree on the {}: {}; delete or correct one of them",
                     reason.subject, reason.detail);
}

std::string Refused(const Reason& reason) {
  std::string out = fmt::format("plugin {} refused {}", reason.subject,
                                reason.member.empty() ? "a member" : reason.member);
  if (!reason.domain.empty()) out += " on " + reason.domain;
  out += ": " + reason.detail;
  if (reason.need > 0) return out + fmt::format("; tried again in {} s", reason.need);
  return out + "; another place is looked for";
}

std::string Backoff(const Reason& reason) {
  std::string out = "the last start failed";
  if (!reason.member.empty()) out += " at " + reason.member;
  out += fmt::format(": {}: {}", reason.subject, reason.detail);
  if (reason.need > 0) {
    out += fmt::format("; start {} is tried in {} s", reason.have + 1, reason.need);
  }
  return out;
}

std::string RollingBack(const Reason& reason) {
  std::string out =
      fmt::format("{} bound member{} leave{} again, since {}", reason.have,
                  reason.have == 1 ? "" : "s", reason.have == 1 ? "s" : "", reason.detail);
  if (!reason.member.empty()) {
    out += fmt::format("; {} is not evicted: {}", reason.member, reason.subject);
  }
  return out;
}

std::string QueueMissing(const Reason& reason) {
  if (reason.detail == reason.subject) {
    return fmt::format(
        "GangQueue {} is not there: create it, or name another one in phalanx.dev/queue",
        reason.subject);
  }
  return fmt::format(
      "GangQueue {} hangs nowhere, since {} above it is not there: create that one, "
      "or correct spec.parent",
      reason.subject, reason.detail);
}

std::string QueuePaused(const Reason& reason) {
  std::string out = fmt::format("GangQueue {} is paused", reason.subject);
  if (!reason.member.empty()) out += " by " + reason.member;
  if (!reason.detail.empty()) out += ": " + reason.detail;
  return out + "; what runs goes on, and it starts when the queue is resumed";
}

std::string QueueLimit(const Reason& reason) {
  const std::string asks =
      fmt::format("asks for {} device{}", reason.need, reason.need == 1 ? "" : "s");
  if (reason.never) {
    return fmt::format(
        "{}, and GangQueue {} may take {} in all: ask for fewer, or have the limit "
        "raised",
        asks, reason.subject, reason.detail);
  }
  return fmt::format(
      "{}; GangQueue {} takes {} of the {} that it may: it starts when gangs there "
      "end, or the limit is raised",
      asks, reason.subject, reason.have, reason.detail);
}

std::string OfQueue(const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::kQueueMissing:
      return QueueMissing(reason);
    case ReasonCode::kQueueCycle:
      return fmt::format(
          "GangQueue {} hangs nowhere, since {} is below itself: correct spec.parent of one of "
          "them",
          reason.subject, reason.detail);
    case ReasonCode::kQueueNotLeaf:
      return fmt::format(
          "gangs wait in queues that have none below them, and GangQueue {} has {}: name that one, "
          "or another without any",
          reason.subject, reason.detail);
    case ReasonCode::kQueuePaused:
      return QueuePaused(reason);
    default:
      return QueueLimit(reason);
  }
}

std::string Returning(const Reason& reason) {
  std::string out =
      fmt::format("{} member{} of the last start still leave{} the scheduler", reason.have,
                  reason.have == 1 ? "" : "s", reason.have == 1 ? "s" : "");
  return reason.detail.empty() ? out : out + "; " + reason.detail;
}

}  // namespace

std::string GigabytesText(int64_t mbps) {
  if (mbps % 1000 == 0) return fmt::format("{} GB/s", mbps / 1000);
  std::string text = fmt::format("{}.{:03}", mbps / 1000, mbps % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  return text + " GB/s";
}

std::string Explain(const Reason& reason, const Asked& asked) {
  switch (reason.code) {
    case ReasonCode::kNone:
      return "";
    case ReasonCode::kSyncing:
      return "the state of the cluster is still being read";
    case ReasonCode::kMembersMissing:
      return Missing(reason);
    case ReasonCode::kMembersGated:
      return Gated(reason);
    case ReasonCode::kInvalid:
      return Invalid(reason);
    case ReasonCode::kMembersDisagree:
      return Disagree(reason);
    case ReasonCode::kGroupMissing:
      return fmt::format(
          "{} of the {} gangs of group {} are complete: create the others, or correct group-size",
          reason.have, reason.need, reason.subject);
    case ReasonCode::kObjectMissing:
      return fmt::format(
          "{}, which its members name, is not there: create it, and install its kind (CRD) if the "
          "cluster does not know it",
          reason.subject);
    case ReasonCode::kQueueMissing:
    case ReasonCode::kQueueCycle:
    case ReasonCode::kQueueNotLeaf:
    case ReasonCode::kQueuePaused:
    case ReasonCode::kQueueLimit:
      return OfQueue(reason);
    case ReasonCode::kQueued:
      return "it is complete and waits for its first look at the nodes";
    case ReasonCode::kCapacity:
      return Capacity(reason, asked);
    case ReasonCode::kFragmentation:
      return Fragmentation(reason, asked);
    case ReasonCode::kTopology:
      return NoDomain(reason, asked);
    case ReasonCode::kSpread:
      return NoSpread(reason, asked);
    case ReasonCode::kUplink:
      return NoUplink(reason);
    case ReasonCode::kSharedResource:
      return NoShared(reason);
    case ReasonCode::kNoSuchNode:
      return NoSuchNode(reason, asked);
    case ReasonCode::kLevelUnknown:
      return fmt::format(
          "no node has the topology level \"{}\": use a level or label that nodes carry",
          reason.subject);
    case ReasonCode::kConflict:
      return Refused(reason);
    case ReasonCode::kLateObjects:
      return fmt::format(
          "more than one member waits for {}, which is not allocated yet: this version "
          "starts such gangs only once it is; allocate it first, or give each member its own",
          reason.subject);
    case ReasonCode::kReturning:
      return Returning(reason);
    case ReasonCode::kBackoff:
      return Backoff(reason);
    case ReasonCode::kRollingBack:
      return RollingBack(reason);
  }
  return "";
}

std::string PoolText(const PoolView& pool) {
  std::string text = fmt::format("{} of {} are free",
                                 QuantityText(std::max<int64_t>(pool.capacity - pool.used, 0)),
                                 QuantityText(pool.capacity));
  int64_t others = pool.used;
  for (size_t i = 0; i < std::min(pool.held_by.size(), kHoldersShown); ++i) {
    const auto& [gang, amount] = pool.held_by[i];
    text += fmt::format("{}{}/{} ({})", i == 0 ? ", held by " : ", ", gang.ns, gang.name,
                        QuantityText(amount));
    others -= amount;
  }
  if (others > 0) text += pool.held_by.empty() ? ", held by pods outside of gangs" : " and others";
  return text;
}

std::string ExplainExclusion(const Exclusion& exclusion, int32_t nodes_in_all) {
  const std::string count = fmt::format("({} of {} nodes)", exclusion.nodes, nodes_in_all);
  const std::string& detail = exclusion.detail;
  switch (exclusion.cause) {
    case ExclusionCause::kNotReady:
      return fmt::format("not ready {}", count);
    case ExclusionCause::kUnschedulable:
      return fmt::format("cordoned {}", count);
    case ExclusionCause::kTaint:
      return fmt::format("taint {} is not tolerated {}", detail, count);
    case ExclusionCause::kSelector:
      return fmt::format("{} {} {}",
                         exclusion.nodes == nodes_in_all ? "no node carries label" : "no label",
                         detail, count);
    case ExclusionCause::kOutOfScope:
      return fmt::format("out of the scope of this scheduler {}", count);
    case ExclusionCause::kLevelMissing:
      return fmt::format("no {} domain {}", detail, count);
    case ExclusionCause::kResourceAbsent:
      return fmt::format("less {} than one member asks for, even when empty {}", detail, count);
    case ExclusionCause::kResourceInUse:
      return fmt::format("too little free {} {}", detail, count);
    case ExclusionCause::kConflict:
      return fmt::format("refused lately by plugin {} {}", detail, count);
    case ExclusionCause::kExclusive:
      return fmt::format("another gang is in the same {}, and one of them shares none {}", detail,
                         count);
  }
  return "";
}

}  // namespace phalanx

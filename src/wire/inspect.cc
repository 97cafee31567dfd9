#include "wire/inspect.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/explain/reason_text.h"
#include "wire/words.h"

namespace phalanx::wire {
namespace {

pb::Reason EncodeReason(const Reason& reason, const std::string& explanation) {
  pb::Reason out;
  out.set_code(Name(reason.code));
  out.set_message(explanation);
  out.set_have(reason.have);
  out.set_need(reason.need);
  out.set_level(reason.level);
  out.set_domain(reason.domain);
  out.set_subject(reason.subject);
  out.set_detail(reason.detail);
  out.set_member(reason.member);
  out.set_never(reason.never);
  out.set_proven_through(std::string(ProvenName(reason.proven)));
  for (const Exclusion& exclusion : reason.exclusions) {
    pb::Exclusion& item = *out.add_exclusions();
    item.set_cause(Name(exclusion.cause));
    item.set_nodes(exclusion.nodes);
    item.set_detail(exclusion.detail);
  }
  return out;
}

pb::Member EncodeMember(const MemberView& member) {
  pb::Member out;
  out.set_pod_uid(member.pod_uid);
  out.set_pod(member.pod_name);
  out.set_state(member.state);
  out.set_role(member.role);
  out.set_node(member.node);
  if (member.rank >= 0) out.set_rank(member.rank);
  return out;
}

template <class Map>
void PutQuantities(const QuantityMap& from, Map* to) {
  for (const auto& [name, quantity] : from) (*to)[name] = quantity;
}

const char* VerdictOf(const GangView& gang) {
  switch (gang.phase) {
    case GangPhase::kDone:
      return "ended";
    case GangPhase::kRollingBack:
      return "leaving";
    case GangPhase::kStarting:
    case GangPhase::kHolding:
      return "fits";
    default:
      break;
  }
  if (gang.reason.never) return "never";
  switch (gang.reason.code) {
    case ReasonCode::kNone:
      return "fits";
    case ReasonCode::kMembersMissing:
    case ReasonCode::kGroupMissing:
    case ReasonCode::kMembersGated:
    case ReasonCode::kInvalid:
    case ReasonCode::kMembersDisagree:
    case ReasonCode::kObjectMissing:
    case ReasonCode::kLateObjects:
    case ReasonCode::kQueueMissing:
    case ReasonCode::kQueueCycle:
    case ReasonCode::kQueueNotLeaf:
      return "incomplete";
    case ReasonCode::kQueuePaused:
    case ReasonCode::kQueueLimit:
    case ReasonCode::kCapacity:
    case ReasonCode::kFragmentation:
    case ReasonCode::kTopology:
    case ReasonCode::kSpread:
    case ReasonCode::kUplink:
    case ReasonCode::kSharedResource:
    case ReasonCode::kNoSuchNode:
    case ReasonCode::kLevelUnknown:
      return "notNow";
    default:
      return "notYet";
  }
}

// Numbers of JSON lose digits beyond 2^53 in many readers.
std::string Hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace

std::string_view WaitsFor(ReasonCode code) {
  switch (code) {
    case ReasonCode::kNone:
      return "nothing";
    case ReasonCode::kSyncing:
      return "snapshot";
    case ReasonCode::kMembersMissing:
    case ReasonCode::kGroupMissing:
      return "members";
    case ReasonCode::kMembersGated:
      return "gate";
    case ReasonCode::kObjectMissing:
      return "object";
    case ReasonCode::kInvalid:
    case ReasonCode::kMembersDisagree:
    case ReasonCode::kLateObjects:
    case ReasonCode::kQueueCycle:
    case ReasonCode::kQueueNotLeaf:
      return "correction";
    case ReasonCode::kQueueMissing:
    case ReasonCode::kQueuePaused:
    case ReasonCode::kQueueLimit:
      return "queue";
    case ReasonCode::kQueued:
      return "planning";
    case ReasonCode::kCapacity:
    case ReasonCode::kFragmentation:
    case ReasonCode::kTopology:
    case ReasonCode::kSpread:
    case ReasonCode::kUplink:
    case ReasonCode::kSharedResource:
      return "room";
    case ReasonCode::kNoSuchNode:
    case ReasonCode::kLevelUnknown:
      return "nodes";
    case ReasonCode::kConflict:
    case ReasonCode::kBackoff:
      return "time";
    case ReasonCode::kReturning:
      return "scheduler";
    case ReasonCode::kRollingBack:
      return "eviction";
  }
  return "";
}

pb::Gang EncodeGang(const GangView& gang) {
  pb::Gang out;
  out.set_namespace_(gang.key.ns);
  out.set_source(gang.key.source);
  out.set_name(gang.key.name);
  out.set_phase(Name(gang.phase));
  out.set_size(gang.size);
  out.set_min(gang.min);
  out.set_present(gang.present);
  out.set_bound(gang.bound);
  out.set_devices(gang.devices);
  out.set_priority(gang.priority);
  out.set_queue(gang.queue);
  out.set_attempts(gang.attempts);
  out.set_first_seen_ms(gang.first_seen.ms);
  if (gang.plan != 0) out.set_plan(gang.plan);
  out.set_domain(gang.domain);
  if (gang.started.ms != 0) out.set_started_ms(gang.started.ms);
  if (gang.position != 0) {
    out.set_position(gang.position);
    out.set_waits_since_ms(gang.waits_since.ms);
  }
  if (gang.reason.code != ReasonCode::kNone) {
    *out.mutable_reason() = EncodeReason(gang.reason, gang.explanation);
  }
  for (const MemberView& member : gang.members) *out.add_members() = EncodeMember(member);
  return out;
}

pb::HostNode EncodeNode(const NodeView& node) {
  pb::HostNode out;
  out.set_name(node.name);
  for (const std::string& domain : node.path) out.add_path(domain);
  out.set_ready(node.ready);
  out.set_unschedulable(node.unschedulable);
  PutQuantities(node.allocatable, out.mutable_allocatable());
  PutQuantities(node.bound, out.mutable_bound());
  PutQuantities(node.held, out.mutable_held());
  return out;
}

pb::Domain EncodeDomain(const DomainView& domain) {
  pb::Domain out;
  out.set_path(domain.path);
  out.set_level(domain.level);
  out.set_hosts(domain.hosts);
  PutQuantities(domain.allocatable, out.mutable_allocatable());
  PutQuantities(domain.free, out.mutable_free());
  if (domain.uplink.mbps > 0) {
    pb::Uplink& uplink = *out.mutable_uplink();
    uplink.set_limit_mbps(domain.uplink.mbps);
    uplink.set_hard(domain.uplink.hard);
    uplink.set_used_mbps(domain.uplink_used_mbps);
  }
  return out;
}

pb::SharedResource EncodePool(const PoolView& pool) {
  pb::SharedResource out;
  out.set_name(pool.name);
  out.set_capacity(pool.capacity);
  out.set_used(pool.used);
  for (const auto& [gang, amount] : pool.held_by) {
    pb::SharedResource::Holder& holder = *out.add_held_by();
    holder.set_gang(gang.ns + "/" + gang.name);
    holder.set_amount(amount);
  }
  return out;
}

pb::TopologyObject EncodeTopologyObject(const TopologyObjectView& object) {
  pb::TopologyObject out;
  out.set_object(object.object);
  out.set_counts(object.counts);
  for (const std::string& problem : object.problems) out.add_problems(problem);
  return out;
}

pb::EntityHash EncodeEntityHash(const EntityHash& entity) {
  pb::EntityHash out;
  out.set_kind(std::string(EntityName(entity.kind)));
  out.set_name(entity.name);
  out.set_state(Hex(entity.state));
  out.set_derived(Hex(entity.derived));
  out.set_recomputed(Hex(entity.recomputed));
  for (const std::string& part : entity.stale) out.add_stale(part);
  return out;
}

pb::FieldHash EncodeFieldHash(const FieldHash& field) {
  pb::FieldHash out;
  out.set_name(field.name);
  out.set_kind(std::string(FieldKindName(field.kind)));
  out.set_hash(Hex(field.hash));
  return out;
}

pb::ExplainGangResponse EncodeExplanation(const GangView& gang) {
  pb::ExplainGangResponse out;
  *out.mutable_gang() = EncodeGang(gang);
  out.mutable_gang()->clear_members();
  out.set_verdict(VerdictOf(gang));
  out.set_waits_for(std::string(WaitsFor(gang.reason.code)));
  out.set_message(gang.reason.code == ReasonCode::kNone
                      ? std::string("it waits for nothing: it is ") + Name(gang.phase)
                      : gang.explanation);
  return out;
}

}  // namespace phalanx::wire

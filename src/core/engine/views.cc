#include "core/engine/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "core/engine/declared.h"
#include "core/engine/shared_pools.h"
#include "phalanx/host_port.h"

namespace phalanx {
namespace {

std::string_view StateName(const Member& member) {
  switch (member.standing) {
    case Standing::kGated:
      return "gated";
    case Standing::kReady:
      return "seen";
    case Standing::kPlanned:
      return "planned";
    case Standing::kReserved:
      return "reserved";
    case Standing::kPrepared:
      return "prepared";
    case Standing::kReturning:
      return "returning";
    case Standing::kBound:
      return "bound";
    case Standing::kLost:
      return "lost";
    case Standing::kDeleting:
    case Standing::kSucceeded:
    case Standing::kFailed:
      return "ended";
  }
  return "";
}

MemberView ViewMember(const State& state, const Member& member) {
  MemberView view;
  view.pod_uid = member.object.uid;
  view.pod_name = member.object.name;
  view.role = member.object.membership->role.empty() ? "worker" : member.object.membership->role;
  view.state = StateName(member);
  if (member.node.valid()) view.node = state.cluster.node(member.node).object.name;
  view.rank = member.rank;
  return view;
}

// The member that the reason names, else the first that waits, else the first of all.
const Member* AskingMember(const State& state, const Gang& gang) {
  const Member* one = nullptr;
  for (const auto& [key, member] : gang.roster.members()) {
    if (!gang.reason.member.empty() && state.NameOf(member) == gang.reason.member) return &member;
    const bool waits = member.standing == Standing::kReady;
    if (one == nullptr || (waits && one->standing != Standing::kReady)) one = &member;
  }
  return one;
}

// The reason with the time that is left now.
Reason ReasonNow(const State& state, const Gang& gang) {
  Reason reason = gang.reason;
  const bool timed = reason.code == ReasonCode::kBackoff || reason.code == ReasonCode::kConflict;
  if (timed && gang.not_before > state.now) {
    reason.need = ((gang.not_before - state.now).ms + 999) / 1000;
  }
  return reason;
}

GangView View(const State& state, const Gang& gang, int32_t position, MembersShown members) {
  GangView view;
  view.key = gang.key;
  view.phase = gang.phase;
  view.size = gang.terms.size;
  view.min = gang.terms.min;
  view.present = gang.roster.Counted();
  view.bound = gang.roster.Count(Standing::kBound);
  view.priority = gang.terms.priority;
  view.queue = gang.queue;
  view.plan = gang.plan ? gang.plan->id : 0;
  view.domain = gang.domain;
  view.first_seen = gang.roster.Oldest().value_or(Time{});
  view.started = gang.started;
  view.attempts = gang.attempts;
  view.position = position;
  if (gang.queued) view.waits_since = gang.queued->since;
  view.reason = ReasonNow(state, gang);
  view.explanation = Explain(view.reason, AskedOf(state, gang));
  for (const auto& [key, member] : gang.roster.members()) {
    view.devices +=
        state.accelerators.CountIn(state.pods.Get(member.pod).request, state.cluster.resources());
    if (members == MembersShown::kAll) view.members.push_back(ViewMember(state, member));
  }
  return view;
}

QuantityMap FreeOf(const QuantityMap& allocatable, const QuantityMap& bound,
                   const QuantityMap& held) {
  QuantityMap free = allocatable;
  for (const auto* used : {&bound, &held}) {
    for (const auto& [name, quantity] : *used) {
      if (!IsHostPort(name) && !IsSharedPool(name)) free[name] -= quantity;
    }
  }
  return free;
}

void AddTo(QuantityMap& sum, const QuantityMap& more) {
  for (const auto& [name, quantity] : more) sum[name] += quantity;
}

NodeView ViewNode(const State& state, const Topology& topology, NodeId id) {
  const NodeRecord& record = state.cluster.node(id);
  NodeView view;
  view.name = record.object.name;
  view.ready = record.object.ready;
  view.unschedulable = record.object.unschedulable;
  view.allocatable = record.object.allocatable;
  view.bound = state.cluster.ledger().bound(id).ToMap(state.cluster.resources());
  view.held = state.cluster.ledger().held(id).ToMap(state.cluster.resources());
  const HostId host = topology.HostOf(id);
  for (uint32_t i = 0; i < topology.levels().size(); ++i) {
    const DomainId domain = host.valid() ? topology.DomainAt(host, LevelId(i)) : DomainId::None();
    view.path.push_back(domain.valid() ? topology.domain(domain).name : "");
  }
  return view;
}

// Views are made between two commands, when the last change of a node may not be planned with yet.
std::shared_ptr<const Topology> CurrentTopology(const State& state) {
  std::vector<TopologyInput> inputs;
  for (NodeId id : state.cluster.present_nodes()) {
    const NodeObject& object = state.cluster.node(id).object;
    inputs.push_back({id, object.name, &object.labels});
  }
  return BuildTopology(inputs, 0, state.cluster.declared());
}

}  // namespace

Asked AskedOf(const State& state, const Gang& gang) {
  const Member* one = AskingMember(state, gang);
  Asked asked;
  asked.members = gang.terms.size;
  if (one == nullptr) return asked;
  const ResourceNames& names = state.cluster.resources();
  for (const auto& [id, quantity] : state.pods.Get(one->pod).request.entries()) {
    if (!state.accelerators.Matches(names.Name(id))) continue;
    if (!asked.per_member.empty()) asked.per_member += ", ";
    asked.per_member += fmt::format("{} {}", names.Name(id), quantity);
  }
  return asked;
}

std::vector<GangView> ViewGangs(const State& state, MembersShown members) {
  std::vector<GangView> out;
  int32_t position = 0;
  for (const auto& [key, id] : state.queue.entries()) {
    out.push_back(View(state, state.gangs.Get(id), ++position, members));
  }
  for (const auto& [key, id] : state.gangs.by_key()) {
    const Gang& gang = state.gangs.Get(id);
    if (!gang.queued) out.push_back(View(state, gang, 0, members));
  }
  return out;
}

std::optional<GangView> ViewGang(const State& state, const GangKey& key) {
  const GangId id = state.gangs.Find(key);
  if (!id.valid()) return std::nullopt;
  const Gang& gang = state.gangs.Get(id);
  int32_t position = 0;
  if (gang.queued) position = state.queue.Position(*gang.queued);
  return View(state, gang, position, MembersShown::kAll);
}

std::vector<NodeView> ViewNodes(const State& state) {
  const auto topology = CurrentTopology(state);
  std::vector<NodeView> out;
  for (const Topology::Host& host : topology->hosts()) {
    out.push_back(ViewNode(state, *topology, host.node));
  }
  return out;
}

std::vector<TopologyObjectView> ViewTopologyObjects(const State& state) {
  std::vector<TopologyObjectView> out;
  for (const auto& [key, entry] : state.objects.entries()) {
    if (!std::holds_alternative<DeclaredTopology>(entry.object.body)) continue;
    TopologyObjectView& view = out.emplace_back();
    view.object = ToString(key);
    view.counts = IsDeclared(state, entry.object);
    for (const Problem& problem : entry.object.problems) {
      view.problems.push_back(fmt::format("{}: got \"{}\", expected {}", problem.field,
                                          problem.value, problem.expected));
    }
  }
  return out;
}

TopologyView ViewTopology(const State& state) {
  const auto topology = CurrentTopology(state);
  TopologyView view;
  const LinkUsage::Loads loads =
      state.cluster.ledger().links().Recompute(*topology, state.cluster.shapes());
  view.objects = ViewTopologyObjects(state);
  view.pools = ViewPools(state);
  view.generation = state.cluster.topology().generation();
  for (const Topology::Level& level : topology->levels()) view.levels.push_back(level.name);
  std::vector<NodeView> hosts;
  for (const Topology::Host& host : topology->hosts()) {
    hosts.push_back(ViewNode(state, *topology, host.node));
  }
  for (uint32_t i = 0; i < topology->domains().size(); ++i) {
    const Topology::Domain& domain = topology->domain(DomainId(i));
    DomainView out;
    out.path = topology->Path(DomainId(i));
    if (domain.level.valid()) out.level = topology->levels()[domain.level.index()].name;
    out.hosts = static_cast<int32_t>(domain.host_count);
    out.uplink = topology->UplinkOf(DomainId(i));
    out.uplink_used_mbps = loads[i];
    for (uint32_t h = 0; h < domain.host_count; ++h) {
      const NodeView& host = hosts[domain.first_host.index() + h];
      AddTo(out.allocatable, host.allocatable);
      AddTo(out.free, FreeOf(host.allocatable, host.bound, host.held));
    }
    view.domains.push_back(std::move(out));
  }
  return view;
}

StatsView TakeStats(State& state) {
  StatsView view;
  state.counters.MoveTo(&view);
  view.status_writes_waiting = static_cast<int64_t>(state.board.waiting());
  view.gang_kind_missing = state.board.kind_missing();
  for (const auto& [key, id] : state.gangs.by_key()) {
    ++view.gangs_by_phase[state.gangs.Get(id).phase];
  }
  for (NodeId id : state.cluster.present_nodes()) {
    AddTo(view.allocatable, state.cluster.node(id).object.allocatable);
    AddTo(view.bound, state.cluster.ledger().bound(id).ToMap(state.cluster.resources()));
    AddTo(view.held, state.cluster.ledger().held(id).ToMap(state.cluster.resources()));
  }
  return view;
}

}  // namespace phalanx

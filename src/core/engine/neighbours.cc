#include "core/engine/neighbours.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/cluster/traffic.h"

namespace phalanx {
namespace {

void CloseAround(const State& state, const Booking& booking, LevelId level, const std::string& name,
                 PlacementRequest& request) {
  const Topology& topology = state.cluster.topology();
  const HostId host = topology.HostOf(booking.node);
  if (!host.valid()) return;
  std::vector<HostRange> hosts = DomainAround(topology, host, level);
  if (hosts.empty()) hosts = {{host, 1}};
  for (const HostRange& range : hosts) request.closed.push_back({range, name, false});
}

// Domains that another gang shares with nobody.
void CloseOwned(const State& state, const Gang& gang, PlacementRequest& request) {
  for (const GangId id : state.exclusive) {
    const Gang& other = state.gangs.Get(id);
    if (other.key == gang.key) continue;
    const std::string& name = other.terms.exclusive_level;
    const LevelId level = state.cluster.topology().FindLevel(name);
    if (!level.valid()) continue;
    for (const auto& [key, member] : other.roster.members()) {
      const std::optional<Booking> booking = state.cluster.ledger().Find(member.pod);
      if (booking) CloseAround(state, *booking, level, name, request);
    }
  }
}

// Domains where others are, and hosts of which nobody can say who shares them.
void CloseShared(const State& state, const Gang& gang, PlacementRequest& request) {
  const Topology& topology = state.cluster.topology();
  const std::string& name = gang.terms.exclusive_level;
  const LevelId level = topology.FindLevel(name);
  if (!level.valid()) return;
  for (const auto& [id, booking] : state.cluster.ledger().entries()) {
    const Pod& pod = state.pods.Get(id);
    if (pod.member == nullptr || state.gangs.Get(pod.gang).key == gang.key) continue;
    CloseAround(state, booking, level, name, request);
  }
  for (uint32_t i = 0; i < topology.hosts().size(); ++i) {
    if (!DomainAround(topology, HostId(i), level).empty()) continue;
    request.closed.push_back({{HostId(i), 1}, name, true});
  }
}

}  // namespace

std::vector<HostRange> DomainAround(const Topology& topology, HostId host, LevelId level) {
  if (level == topology.host_level()) return {{host, 1}};
  if (const Crossing* crossing = topology.CrossingOf(level)) {
    const uint32_t domain = crossing->domain_of[host.index()];
    if (domain == Crossing::kNone) return {};
    return crossing->domains[domain].hosts;
  }
  const DomainId domain = topology.DomainAt(host, level);
  if (!domain.valid()) return {};
  return {{topology.domain(domain).first_host, topology.domain(domain).host_count}};
}

const std::string& RequiredLevel(const State& state, const Gang& gang) {
  const std::string& own = gang.terms.required_level;
  const Together* together = gang.roster.AllTogether();
  if (together == nullptr) return own;
  const Topology& topology = state.cluster.topology();
  const LevelId level = topology.FindLevel(together->level);
  if (!level.valid()) return own;
  if (own.empty()) return together->level;
  const LevelId said = topology.FindLevel(own);
  const bool nested =
      topology.CrossingOf(level) == nullptr && said.valid() && topology.CrossingOf(said) == nullptr;
  return nested && said < level ? together->level : own;
}

bool IsExclusive(const Gang& gang) {
  if (gang.terms.exclusive_level.empty()) return false;
  const Roster& roster = gang.roster;
  return roster.InPipeline() + roster.Count(Standing::kReturning) + roster.Count(Standing::kBound) +
             roster.Count(Standing::kDeleting) + roster.Count(Standing::kLost) >
         0;
}

void NoteExclusive(State& state, GangId id) {
  if (IsExclusive(state.gangs.Get(id))) {
    state.exclusive.insert(id);
  } else if (state.exclusive.erase(id) > 0) {
    state.NoteRelease();
  }
}

void CloseHosts(const State& state, const Gang& gang, PlacementRequest& request) {
  request.exclusive_level = gang.terms.exclusive_level;
  CloseOwned(state, gang, request);
  if (!gang.terms.exclusive_level.empty()) CloseShared(state, gang, request);
  auto& closed = request.closed;
  std::sort(closed.begin(), closed.end());
  closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
}

void AddPlaced(const State& state, const Gang& gang, PlacementRequest& request) {
  std::map<std::pair<ShapeId, NodeId>, int32_t> counts;
  const ShapeTable& shapes = state.cluster.shapes();
  const auto matters = [&](ShapeId placed, const RoleRequest& role) {
    const Shape& shape = shapes.Get(role.shape);
    if (shape.traffic.Any() && SameTalk(shape, shapes.Get(placed))) return true;
    return placed == role.shape && !shape.spread.level.empty();
  };
  const bool any = std::ranges::any_of(request.roles, [&](const RoleRequest& role) {
    const Shape& shape = shapes.Get(role.shape);
    return shape.traffic.Any() || !shape.spread.level.empty();
  });
  if (!any) return;
  for (const auto& [key, member] : gang.roster.members()) {
    const bool counts_here = std::ranges::any_of(
        request.roles, [&](const RoleRequest& role) { return matters(member.shape, role); });
    if (!counts_here) continue;
    const std::optional<Booking> booking = state.cluster.ledger().Find(member.pod);
    if (booking) ++counts[{member.shape, booking->node}];
  }
  for (const auto& [where, count] : counts) {
    request.placed.push_back({where.first, where.second, count});
  }
}

}  // namespace phalanx

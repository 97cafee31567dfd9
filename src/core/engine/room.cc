#include "core/engine/room.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/place/free_slots.h"
#include "core/place/refusal.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

// Of a domain, so that nobody waits for who asks.
constexpr uint32_t kMostHostsSearched = 4'096;

bool TakesRoom(const State& state, const Gang& gang) {
  const auto& members = gang.roster.members();
  return std::any_of(members.begin(), members.end(), [&](const auto& entry) {
    return state.cluster.ledger().Find(entry.second.pod).has_value();
  });
}

// When the last of its members is expected to end; 0 if nobody said, or it should have long since.
Time ExpectedEnd(const State& state, const Gang& gang) {
  if (gang.started.ms == 0) return {};
  Duration longest;
  for (const auto& [key, member] : gang.roster.members()) {
    const std::optional<Duration>& expected = member.object.membership->expected_duration;
    if (expected) longest = std::max(longest, *expected);
  }
  const Time end = gang.started + longest;
  return longest.ms == 0 || end <= state.now ? Time{} : end;
}

// Pods of other gangs by host.
using Tenants = std::map<HostId, std::map<GangId, std::vector<PodId>>>;

Tenants TenantsOf(const State& state, GangId but) {
  Tenants tenants;
  for (const auto& [id, booking] : state.cluster.ledger().entries()) {
    const GangId gang = state.pods.Get(id).gang;
    const HostId host = state.cluster.topology().HostOf(booking.node);
    if (gang.valid() && gang != but && host.valid()) tenants[host][gang].push_back(id);
  }
  return tenants;
}

// Members that find room on the host besides, if these pods end.
int64_t RoomOf(State& state, HostId host, const std::vector<PodId>& pods, const SlotTree& free,
               ShapeId shape) {
  const WithoutPods gone(state, pods);
  return state.cluster.Slots(state.cluster.topology().host(host).node, shape) - free.At(host);
}

std::vector<RoomHolder> HoldersIn(State& state, const Tenants& tenants, const HostRange& hosts,
                                  const SlotTree& free, ShapeId shape) {
  std::map<GangId, int64_t> room;
  const auto end = tenants.lower_bound(HostId(hosts.first.value() + hosts.count));
  for (auto it = tenants.lower_bound(hosts.first); it != end; ++it) {
    for (const auto& [gang, pods] : it->second) {
      room[gang] += std::max<int64_t>(RoomOf(state, it->first, pods, free, shape), 0);
    }
  }
  std::vector<RoomHolder> holders;
  for (const auto& [id, members] : room) {
    const Gang& gang = state.gangs.Get(id);
    if (members > 0) holders.push_back({gang.key, members, ExpectedEnd(state, gang)});
  }
  std::sort(holders.begin(), holders.end(), [](const RoomHolder& a, const RoomHolder& b) {
    return a.members != b.members ? a.members > b.members : a.gang < b.gang;
  });
  holders.resize(std::min(holders.size(), kHoldersShown));
  return holders;
}

HostRange HostsOf(const Topology& topology, const Vertex& vertex) {
  if (vertex.host.valid()) return {vertex.host, 1};
  const Topology::Domain& domain = topology.domain(vertex.domain);
  return {domain.first_host, domain.host_count};
}

}  // namespace

std::vector<PodId> PodsOf(const Gang& gang) {
  std::vector<PodId> pods;
  for (const auto& [key, member] : gang.roster.members()) pods.push_back(member.pod);
  return pods;
}

WithoutPods::WithoutPods(State& state, const std::vector<PodId>& pods) : state_(state) {
  Ledger& ledger = state_.cluster.ledger();
  for (const PodId pod : pods) {
    auto booking = ledger.Find(pod);
    if (!booking) continue;
    if (booking->amount.share().Any() && !shared_) shared_ = ledger.shared();
    taken_.emplace_back(pod, *std::move(booking));
    ledger.Release(pod);
  }
}

WithoutPods::~WithoutPods() {
  for (const auto& [pod, booking] : taken_) {
    state_.cluster.ledger().Book(pod, booking.node, booking.kind, booking.amount, booking.talk);
  }
  if (shared_) state_.cluster.ledger().PutShared(*std::move(shared_));
}

std::vector<RoomHolder> GangsWithRoom(const State& state, GangId but) {
  std::vector<std::tuple<bool, Time, size_t, GangKey>> order;
  for (const auto& [key, id] : state.gangs.by_key()) {
    const Gang& gang = state.gangs.Get(id);
    if (id == but || !TakesRoom(state, gang)) continue;
    const Time until = ExpectedEnd(state, gang);
    order.emplace_back(until.ms == 0, until, gang.roster.members().size(), key);
  }
  std::sort(order.begin(), order.end());
  std::vector<RoomHolder> out;
  for (const auto& [unknown, until, pods, key] : order) out.push_back({key, 0, until});
  return out;
}

std::vector<LevelRoom> RoomByLevel(State& state, GangId gang, const PlacementRequest& request,
                                   const RoleRequest& role) {
  const Topology& topology = state.cluster.topology();
  const SlotTree free = FreeSlots(state.cluster, request, role.shape);
  const SlotTree ever = EverSlots(state.cluster, request, role.shape);
  const Tenants tenants = TenantsOf(state, gang);
  std::vector<LevelRoom> out;
  for (const LevelId level : RequiredScope(topology, LevelId::None()).FinestFirst()) {
    if (topology.CrossingOf(level) != nullptr) continue;  // its domains are no vertices
    const RequiredScope scope(topology, level);
    Vertex best = scope.Best(free);
    if (!best.IsValid()) best = scope.Best(ever);
    if (!best.IsValid()) continue;
    LevelRoom& room = out.emplace_back();
    room.level = level.valid() ? LevelName(topology, level) : "cluster";
    room.domain = best.Path(topology);
    room.have = best.Slots(free);
    room.need = role.count;
    room.when_empty = best.Slots(ever);
    const HostRange hosts = HostsOf(topology, best);
    if (!level.valid() || hosts.count > kMostHostsSearched) continue;
    room.held_by = HoldersIn(state, tenants, hosts, free, role.shape);
  }
  return out;
}

int64_t MostOnOneHost(const State& state, const PlacementRequest& request, ShapeId shape) {
  const SlotTree ever = EverSlots(state.cluster, request, shape);
  const auto& hosts = ever.values();
  return hosts.empty() ? 0 : *std::max_element(hosts.begin(), hosts.end());
}

}  // namespace phalanx

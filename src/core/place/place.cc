#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/place/across.h"
#include "core/place/assemble.h"
#include "core/place/equal.h"
#include "core/place/fragmentation.h"
#include "core/place/free_slots.h"
#include "core/place/link_search.h"
#include "core/place/placement.h"
#include "core/place/refusal.h"
#include "core/place/roles.h"
#include "core/place/segments.h"
#include "core/place/shared_pools.h"
#include "core/place/spread.h"
#include "core/place/spread_search.h"
#include "core/place/vertex_costs.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

// Roles of one shape are one role; empty ones are dropped.
std::vector<RoleRequest> MergeEqual(const std::vector<RoleRequest>& roles) {
  std::vector<RoleRequest> merged;
  for (const RoleRequest& role : roles) {
    PHALANX_CHECK(role.count >= 0, "a role of {} members", role.count);
    if (role.count == 0) continue;
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const RoleRequest& other) {
      return other.shape == role.shape;
    });
    if (same == merged.end()) {
      merged.push_back(role);
    } else {
      same->count += role.count;
    }
  }
  return merged;
}

// Of unequal members and of segments it is not looked at.
void LeaveOutFragmentation(const PlacementRequest& request, PlacementAnswer& answer) {
  auto* placement = std::get_if<Placement>(&answer.result);
  if (placement == nullptr || request.fragmentation == nullptr) return;
  placement->proven = std::min(placement->proven, ProvenThrough::kOverrun);
}

std::vector<SlotsOnHost> OfShape(ShapeId shape, const std::vector<HostShare>& taken) {
  std::vector<SlotsOnHost> out;
  for (const HostShare& share : taken) out.push_back({share.host, shape, share.members});
  return out;
}

PlacementAnswer PlaceUnderSpread(const Cluster& cluster, const PlacementRequest& request,
                                 const RoleRequest& role, LevelId required,
                                 const SpreadRule& rule) {
  const SlotTree free = FreeSlots(cluster, request, role.shape);
  const auto hosts_seen = static_cast<int64_t>(free.hosts());
  const RequiredScope scope(cluster.topology(), required);
  const TouchedBefore nothing;
  const SpreadAnswer found = SearchSpread({cluster, request, role, rule, free, nothing}, scope);
  if (!found.placed) {
    return {ExplainSpread(cluster, request, role, required, rule, free), role.shape,
            hosts_seen + found.cells};
  }
  PlacementAnswer answer{Assemble(cluster.topology(), request,
                                  OfShape(role.shape, found.placed->taken), found.placed->proven),
                         ShapeId::None(), hosts_seen + found.cells};
  LeaveOutFragmentation(request, answer);
  if (LinksCount(cluster, request)) CheckLinks(cluster, request, role.shape, answer);
  return answer;
}

PlacementAnswer PlaceOneShape(const Cluster& cluster, const PlacementRequest& request,
                              const RoleRequest& role, LevelId required) {
  const Topology& topology = cluster.topology();
  const RequiredScope scope(topology, required);
  if (const SpreadRule spread = SpreadRuleOf(cluster, request, role, required); spread.Any()) {
    return PlaceUnderSpread(cluster, request, role, required, spread);
  }
  const SegmentRule rule = RuleOf(cluster, request, role.shape);
  const SlotTree free = FreeSlots(cluster, request, role.shape);
  SegmentedSlots segmented;
  if (rule.Whole()) segmented = BestSegments(topology, rule, scope, free, role.count);
  const SlotTree& slots = rule.Whole() ? segmented.slots : free;
  const auto hosts_seen = static_cast<int64_t>(free.hosts());
  const std::vector<Vertex> candidates = FinestCandidates(slots, scope, role.count);
  if (candidates.empty()) {
    return {ExplainRefusal(cluster, request, role, required, free), role.shape, hosts_seen};
  }
  std::optional<VertexCosts> costs;
  if (request.fragmentation != nullptr && !rule.Whole()) {
    request.fragmentation->Follow(cluster);
    costs.emplace(cluster, *request.fragmentation, role.shape);
  }
  const TouchedBefore nothing;
  const TreeQuery query{topology, slots, role.count, nothing, rule.size, segmented.level};
  const VertexCosts* fragments = costs ? &*costs : nullptr;
  EqualPlacement found = PlaceEqual(query, candidates, request.max_cells, fragments);
  if (LinksCount(cluster, request)) {
    const LinkQuestion question{cluster, request, role, query, scope, candidates, fragments};
    if (auto refused = PlaceOnLinks(question, found)) {
      return {std::move(*refused), role.shape, hosts_seen + found.cells};
    }
  }
  PlacementAnswer answer{
      Assemble(topology, request, OfShape(role.shape, found.taken), found.proven), ShapeId::None(),
      hosts_seen + found.cells};
  if (rule.Whole()) LeaveOutFragmentation(request, answer);
  return answer;
}

}  // namespace

PlacementAnswer PlaceInTree(const Cluster& cluster, const PlacementRequest& request,
                            LevelId required) {
  const Topology& topology = cluster.topology();
  std::vector<RoleRequest> roles = MergeEqual(request.roles);
  if (roles.empty()) {
    return {Assemble(topology, request, {}, ProvenThrough::kAll), ShapeId::None(), 1};
  }
  if (roles.size() > 1) SortLargestFirst(cluster, roles);
  for (const RoleRequest& role : roles) {
    auto refused = SegmentsRefused(cluster, request, role);
    if (!refused) refused = SpreadRefused(cluster, request, role);
    if (refused) return {std::move(*refused), role.shape, 1};
  }
  if (roles.size() == 1) return PlaceOneShape(cluster, request, roles.front(), required);
  PlacementAnswer answer = PlaceRoles(cluster, request, roles, required);
  LeaveOutFragmentation(request, answer);
  if (LinksCount(cluster, request)) CheckLinks(cluster, request, roles.front().shape, answer);
  return answer;
}

PlacementAnswer Place(const Cluster& cluster, const PlacementRequest& request) {
  if (auto refusal = SharedRefused(cluster, request)) return std::move(*refusal);
  const Topology& topology = cluster.topology();
  LevelId required = LevelId::None();
  if (!request.required_level.empty()) {
    required = topology.FindLevel(request.required_level);
    if (!required.valid()) return {UnknownLevel(request.required_level), ShapeId::None(), 1};
  }
  if (!request.exclusive_level.empty() && !topology.FindLevel(request.exclusive_level).valid()) {
    return {UnknownLevel(request.exclusive_level), ShapeId::None(), 1};
  }
  return PlaceAcross(cluster, request, required, topology.FindLevel(request.preferred_level));
}

}  // namespace phalanx

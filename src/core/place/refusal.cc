#include "core/place/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/ratio.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

bool IsResourceCause(ExclusionCause cause) {
  return cause == ExclusionCause::kResourceAbsent || cause == ExclusionCause::kResourceInUse;
}

std::string LevelName(const Topology& topology, LevelId level) {
  return level == topology.host_level() ? "host" : topology.levels()[level.index()].name;
}

const HostExclusion* FindExclusion(const PlacementRequest& request, ShapeId shape, NodeId node) {
  for (const HostExclusion& exclusion : request.exclusions) {
    if (exclusion.shape == shape && exclusion.node == node) return &exclusion;
  }
  return nullptr;
}

// Looks at the hosts of a request with the eyes of one shape.
class Inspection {
 public:
  Inspection(const Cluster& cluster, const PlacementRequest& request, const RoleRequest& role,
             LevelId required)
      : cluster_(cluster),
        request_(request),
        role_(role),
        required_(required),
        topology_(cluster.topology()),
        scope_(topology_, required) {}

  // Why a host takes no member, without text; nullopt: it takes one now.
  struct Why {
    Cluster::Blame blame;
    const std::string* plugin = nullptr;  // of a conflict

    friend auto operator<=>(const Why&, const Why&) = default;
  };
  std::optional<Why> WhyOut(HostId host) const {
    const NodeId node = topology_.host(host).node;
    const auto blame = cluster_.Blamed(node, role_.shape);
    if (blame && !IsResourceCause(blame->filter.cause)) return Why{*blame};
    if (!scope_.Holds(host)) return Why{{FilteredOut{ExclusionCause::kLevelMissing}, {}}};
    if (blame) return Why{*blame};
    if (const HostExclusion* excluded = FindExclusion(request_, role_.shape, node)) {
      return Why{{FilteredOut{ExclusionCause::kConflict}, {}}, &excluded->plugin};
    }
    return std::nullopt;
  }
  Cluster::Out Describe(const Why& why) const {
    const ExclusionCause cause = why.blame.filter.cause;
    if (cause == ExclusionCause::kConflict) return {cause, *why.plugin};
    if (cause == ExclusionCause::kLevelMissing) return {cause, LevelName(topology_, required_)};
    return cluster_.Describe(why.blame);
  }

  // Sum of `slots` over hosts that have the required level.
  int64_t InScope(const SlotTree& slots) const {
    int64_t sum = 0;
    for (const Vertex& domain : scope_.Domains()) sum += domain.Slots(topology_, slots);
    return sum;
  }

  // The domain of the required level with the most slots, the first on a tie.
  std::pair<Vertex, int64_t> Best(const SlotTree& slots) const {
    std::pair<Vertex, int64_t> best{{}, 0};
    for (const Vertex& domain : scope_.Domains()) {
      const int64_t here = domain.Slots(topology_, slots);
      if (here > best.second) best = {domain, here};
    }
    return best;
  }

  // The resource whose free sum over unfiltered hosts covers the least of what all members need;
  // nullopt if each is enough.
  struct Scarce {
    ResourceId resource;
    int64_t free = 0;
    int64_t needed = 0;
  };
  std::optional<Scarce> Scarcest() const {
    std::optional<Scarce> scarcest;
    const auto& entries = cluster_.shapes().Get(role_.shape).request.entries();
    const std::vector<NodeId> nodes = UnfilteredNodes();
    for (const auto& [resource, amount] : entries) {
      const Scarce next{resource, FreeSum(nodes, resource), amount * role_.count};
      if (next.free >= next.needed) continue;
      if (!scarcest || ScarcerThan(next, *scarcest)) scarcest = next;
    }
    return scarcest;
  }

 private:
  std::vector<NodeId> UnfilteredNodes() const {
    std::vector<NodeId> nodes;
    const HostSpan span = HostsWithin(topology_, request_);
    for (uint32_t i = span.first; i < span.end; ++i) {
      const auto out = WhyOut(HostId(i));
      if (!out || IsResourceCause(out->blame.filter.cause))
        nodes.push_back(topology_.hosts()[i].node);
    }
    return nodes;
  }

  // At most the largest int64.
  int64_t FreeSum(const std::vector<NodeId>& nodes, ResourceId resource) const {
    Int128 sum = 0;
    for (const NodeId node : nodes) sum += std::max<int64_t>(cluster_.Free(node, resource), 0);
    return static_cast<int64_t>(std::min<Int128>(sum, std::numeric_limits<int64_t>::max()));
  }

  bool ScarcerThan(const Scarce& a, const Scarce& b) const {
    const auto order = CompareRatios({a.free, a.needed}, {b.free, b.needed});
    if (order != 0) return order < 0;
    return cluster_.resources().Name(a.resource) < cluster_.resources().Name(b.resource);
  }

  const Cluster& cluster_;
  const PlacementRequest& request_;
  const RoleRequest role_;
  const LevelId required_;
  const Topology& topology_;
  const RequiredScope scope_;
};

// Free room does not suffice at all.
void ExplainTooFew(const Cluster& cluster, ShapeId shape, const Inspection& inspection,
                   Reason& reason) {
  const auto scarce = inspection.Scarcest();
  const bool asks_for_nothing = cluster.shapes().Get(shape).request.entries().empty();
  reason.code = scarce || asks_for_nothing ? ReasonCode::kCapacity : ReasonCode::kFragmentation;
  if (!scarce) return;
  reason.subject = cluster.resources().Name(scarce->resource);
  reason.detail = fmt::format("{} of {}", scarce->free, scarce->needed);
}

void ExplainTopology(const Topology& topology, LevelId required, const Inspection& inspection,
                     const SlotTree& free, Reason& reason) {
  const auto [domain, slots] = inspection.Best(free);
  reason.code = ReasonCode::kTopology;
  reason.have = slots;
  reason.level = LevelName(topology, required);
  reason.domain = domain.Path(topology);
}

}  // namespace

Reason ExplainRefusal(const Cluster& cluster, const PlacementRequest& request,
                      const RoleRequest& role, LevelId required, const SlotTree& free) {
  const Inspection inspection(cluster, request, role, required);
  const SlotTree ever = SlotsEver(cluster, request, role.shape, role.count);
  Reason reason;
  reason.need = role.count;
  reason.have = inspection.InScope(free);
  reason.never = inspection.Best(ever).second < role.count;
  if (inspection.InScope(ever) == 0) {
    reason.code = ReasonCode::kNoSuchNode;
  } else if (reason.have < role.count) {
    ExplainTooFew(cluster, role.shape, inspection, reason);
  } else {
    ExplainTopology(cluster.topology(), required, inspection, free, reason);
  }
  reason.exclusions = CountExclusions(cluster, request, role.shape, required);
  return reason;
}

std::vector<Exclusion> CountExclusions(const Cluster& cluster, const PlacementRequest& request,
                                       ShapeId shape, LevelId required) {
  const Inspection inspection(cluster, request, {shape, 1}, required);
  // Text is made once for each cause, not for each host. The first map is ordered by address, which
  // the sums of the second do not show.
  std::map<Inspection::Why, int32_t> hosts;
  const HostSpan span = HostsWithin(cluster.topology(), request);
  for (uint32_t i = span.first; i < span.end; ++i) {
    if (const auto why = inspection.WhyOut(HostId(i))) ++hosts[*why];
  }
  std::map<Cluster::Out, int32_t> counts;
  for (const auto& [why, count] : hosts) counts[inspection.Describe(why)] += count;
  std::vector<Exclusion> out;
  out.reserve(counts.size());
  for (const auto& [cause, nodes] : counts) out.push_back({cause.cause, cause.detail, nodes});
  std::stable_sort(out.begin(), out.end(),
                   [](const Exclusion& a, const Exclusion& b) { return a.nodes > b.nodes; });
  return out;
}

Reason UnknownLevel(const PlacementRequest& request) {
  Reason reason;
  reason.code = ReasonCode::kLevelUnknown;
  reason.subject = request.required_level;
  reason.never = true;
  return reason;
}

}  // namespace phalanx

#include "core/place/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ratio.h"
#include "core/place/free_slots.h"
#include "core/place/segments.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

// Looks at the hosts of a request with the eyes of one shape, through the table that the cluster
// keeps: nothing here looks at a node.
class Inspection {
 public:
  Inspection(const Cluster& cluster, const PlacementRequest& request, const RoleRequest& role,
             LevelId required)
      : cluster_(cluster),
        request_(request),
        role_(role),
        required_(required),
        topology_(cluster.topology()),
        within_(HostsWithin(topology_, request)),
        scope_(topology_, required),
        table_(cluster.BlameOf(role.shape)) {}

  const RequiredScope& scope() const { return scope_; }

  // What could ever be, on the hosts of the request.
  SlotTree Ever() const { return EverSlots(cluster_, request_, role_.shape); }

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
    for (size_t i = 0; i < entries.size(); ++i) {
      const Scarce next{entries[i].first, FreeSum(i), entries[i].second * role_.count};
      if (next.free >= next.needed) continue;
      if (!scarcest || ScarcerThan(next, *scarcest)) scarcest = next;
    }
    return scarcest;
  }

  std::vector<Exclusion> Exclusions() const {
    // One more than there are causes: the hosts that lack the level.
    std::vector<int32_t> hosts(table_.causes.size() + 1, 0);
    CountByCause(hosts);
    std::map<HostOut, int32_t> counts;
    for (const auto& [host, cause] : LeftOut()) {
      --hosts[BlameTable::kTakes];
      ++counts[cause];
    }
    for (size_t i = 1; i < table_.causes.size(); ++i) {
      if (hosts[i] > 0) counts[table_.causes[i]] += hosts[i];
    }
    if (hosts.back() > 0) {
      counts[{ExclusionCause::kLevelMissing, LevelName(topology_, required_)}] += hosts.back();
    }
    std::vector<Exclusion> out;
    out.reserve(counts.size());
    for (const auto& [cause, nodes] : counts) out.push_back({cause.cause, cause.detail, nodes});
    std::stable_sort(out.begin(), out.end(),
                     [](const Exclusion& a, const Exclusion& b) { return a.nodes > b.nodes; });
    return out;
  }

 private:
  // Calls use(first, end) for the hosts of the request that lie in the scope, and skip(first, end)
  // for those between.
  template <class Use, class Skip>
  void ForSpans(Use use, Skip skip) const {
    const std::vector<HostRange> in_scope = scope_.Hosts();
    auto next = in_scope.begin();
    for (const HostRange& range : within_) {
      uint32_t at = range.first.value();
      const uint32_t last = range.end();
      while (next != in_scope.end() && next->end() <= at) ++next;
      for (auto it = next; it != in_scope.end() && it->first.value() < last; ++it) {
        const uint32_t first = std::max(it->first.value(), at);
        skip(at, first);
        at = std::min(it->end(), last);
        use(first, at);
      }
      skip(at, last);
    }
  }

  void CountByCause(std::vector<int32_t>& hosts) const {
    std::vector<char> filters(table_.causes.size(), 0);
    for (size_t i = 1; i < filters.size(); ++i)
      filters[i] = !IsResourceCause(table_.causes[i].cause);
    ForSpans(
        [&](uint32_t first, uint32_t end) {
          for (uint32_t i = first; i < end; ++i) ++hosts[table_.cause[i]];
        },
        [&](uint32_t first, uint32_t end) {
          for (uint32_t i = first; i < end; ++i) {
            ++(filters[table_.cause[i]] != 0 ? hosts[table_.cause[i]] : hosts.back());
          }
        });
  }

  // Hosts in scope that would take a member and are left out by the request, with the first cause.
  std::map<HostId, HostOut> LeftOut() const {
    std::map<HostId, HostOut> out;
    const auto add = [&](HostId host, ExclusionCause cause, const std::string& detail) {
      if (!Holds(within_, host) || !InScope(host)) return;
      const bool takes = table_.cause[host.index()] == BlameTable::kTakes;
      if (takes) out.emplace(host, HostOut{cause, detail});
    };
    for (const ClosedHosts& closed : request_.closed) {
      const auto cause =
          closed.lacking ? ExclusionCause::kLevelMissing : ExclusionCause::kExclusive;
      const uint32_t first = closed.hosts.first.value();
      for (uint32_t i = 0; i < closed.hosts.count; ++i) add(HostId(first + i), cause, closed.level);
    }
    for (const HostExclusion& exclusion : request_.exclusions) {
      const HostId host = topology_.HostOf(exclusion.node);
      if (exclusion.shape != role_.shape || !host.valid()) continue;
      add(host, ExclusionCause::kConflict, exclusion.plugin);
    }
    return out;
  }

  bool InScope(HostId host) const {
    return !required_.valid() || required_ == topology_.host_level() ||
           topology_.DomainAt(host, required_).valid();
  }

  // At most the largest int64.
  int64_t FreeSum(size_t resource) const {
    const QuantityTree& free = table_.free[resource];
    Int128 sum = 0;
    if (request_.within.empty()) {
      sum = scope_.Sum(free);
    } else {
      ForSpans(
          [&](uint32_t first, uint32_t end) {
            for (uint32_t i = first; i < end; ++i) sum += free.At(HostId(i));
          },
          [](uint32_t, uint32_t) {});
    }
    for (const auto& [host, cause] : LeftOut()) sum -= free.At(host);
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
  const std::vector<HostRange> within_;
  const RequiredScope scope_;
  const BlameTable& table_;
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

// Slots of the best domain of the scope.
int64_t MostInOne(const RequiredScope& scope, const SlotTree& tree) {
  const Vertex best = scope.Best(tree);
  return best.IsValid() ? best.Slots(tree) : 0;
}

void ExplainTopology(const Topology& topology, LevelId level, const RequiredScope& scope,
                     const SlotTree& free, Reason& reason) {
  reason.code = ReasonCode::kTopology;
  reason.have = MostInOne(scope, free);
  reason.level = LevelName(topology, level);
  reason.domain = scope.Best(free).Path(topology);
}

// Enough members fit in one domain of the scope, but not in whole segments.
Reason ExplainSegments(const Cluster& cluster, const RoleRequest& role, const SegmentRule& rule,
                       const Inspection& inspection, const SlotTree& free) {
  const Topology& topology = cluster.topology();
  const RequiredScope& scope = inspection.scope();
  const auto whole = [&](const SlotTree& slots) {
    return InSegments(topology, slots, rule.Required(), rule.size);
  };
  const SlotTree now = whole(free);
  Reason reason;
  ExplainTopology(topology, rule.Required(), scope, now, reason);
  reason.need = role.count;
  reason.detail = fmt::to_string(rule.size);
  reason.never = MostInOne(scope, whole(inspection.Ever())) < role.count;
  reason.exclusions = inspection.Exclusions();
  return reason;
}

}  // namespace

std::string LevelName(const Topology& topology, LevelId level) {
  return level == topology.host_level() ? "host" : topology.levels()[level.index()].name;
}

Reason ExplainRefusal(const Cluster& cluster, const PlacementRequest& request,
                      const RoleRequest& role, LevelId required, const SlotTree& free) {
  const Inspection inspection(cluster, request, role, required);
  const RequiredScope& scope = inspection.scope();
  const SegmentRule rule = RuleOf(cluster, request, role.shape);
  const SlotTree ever = inspection.Ever();
  const bool could_ever = MostInOne(scope, ever) >= role.count;
  if (rule.Whole() && rule.Required().valid() && could_ever) {
    Reason segments = ExplainSegments(cluster, role, rule, inspection, free);
    if (segments.never || MostInOne(scope, free) >= role.count) return segments;
  }
  Reason reason;
  reason.need = role.count;
  reason.have = scope.Sum(free);
  reason.never = !could_ever;
  // What makes it impossible for ever is told rather than what is short now.
  const bool in_one_domain = !could_ever && scope.Sum(ever) >= role.count;
  if (scope.Sum(ever) == 0) {
    reason.code = ReasonCode::kNoSuchNode;
  } else if (reason.have < role.count && !in_one_domain) {
    ExplainTooFew(cluster, role.shape, inspection, reason);
  } else {
    ExplainTopology(cluster.topology(), required, scope, free, reason);
  }
  reason.exclusions = inspection.Exclusions();
  return reason;
}

std::vector<Exclusion> CountExclusions(const Cluster& cluster, const PlacementRequest& request,
                                       ShapeId shape, LevelId required) {
  return Inspection(cluster, request, {shape, 1}, required).Exclusions();
}

Reason UnknownLevel(const std::string& level) {
  Reason reason;
  reason.code = ReasonCode::kLevelUnknown;
  reason.subject = level;
  reason.never = true;
  return reason;
}

}  // namespace phalanx

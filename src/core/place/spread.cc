#include "core/place/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/cluster/node_filter.h"
#include "core/place/free_slots.h"
#include "core/place/refusal.h"

namespace phalanx {
namespace {

std::vector<Vertex> UnitsOf(const Topology& topology, LevelId level) {
  std::vector<Vertex> units;
  if (level == topology.host_level()) {
    for (uint32_t i = 0; i < topology.hosts().size(); ++i) {
      units.push_back({DomainId::None(), HostId(i)});
    }
  } else {
    for (const DomainId id : topology.DomainsAt(level)) units.push_back({id, HostId::None()});
  }
  return units;
}

HostRange RangeOf(const Topology& topology, const Vertex& vertex) {
  if (vertex.host.valid()) return {vertex.host, 1};
  const Topology::Domain& domain = topology.domain(vertex.domain);
  return {domain.first_host, domain.host_count};
}

bool Holds(const HostRange& range, HostId host) {
  return host.value() >= range.first.value() && host.value() < range.first.value() + range.count;
}

// Members of the shape that run in the unit already.
int64_t PlacedIn(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                 const HostRange& unit) {
  int64_t members = 0;
  for (const PlacedMembers& placed : request.placed) {
    const HostId host = cluster.topology().HostOf(placed.node);
    if (placed.shape == shape && host.valid() && Holds(unit, host)) members += placed.count;
  }
  return members;
}

// Sums of the hosts' slots, but none above what `most` says of the domain; -1: nothing.
std::vector<int64_t> SumsUpTo(const Topology& topology, const std::vector<int32_t>& slots,
                              const std::vector<int64_t>& most) {
  std::vector<int64_t> sums(topology.domains().size(), 0);
  for (uint32_t i = 0; i < slots.size(); ++i) {
    sums[topology.host(HostId(i)).parent.index()] += slots[i];
  }
  // Children have higher ids than their parents.
  for (size_t i = sums.size(); i-- > 1;) {
    if (most[i] >= 0) sums[i] = std::min(sums[i], most[i]);
    sums[topology.domains()[i].parent.index()] += sums[i];
  }
  return sums;
}

std::string Numbers(const Spread& spread) {
  if (spread.by == SpreadBy::kApart) return "at most 1 by anti-affinity";
  std::string text;
  if (spread.at_least > 1) text = fmt::format("at least {}", spread.at_least);
  if (spread.at_most > 0) {
    text += fmt::format("{}at most {}", text.empty() ? "" : " and ", spread.at_most);
  }
  if (spread.by == SpreadBy::kSkew) text += " by a spread constraint";
  return text.empty() ? "evenly" : text;
}

int64_t MostInOne(const RequiredScope& scope, const SlotTree& slots) {
  const Vertex best = scope.Best(slots);
  return best.IsValid() ? best.Slots(slots) : 0;
}

// Hosts that kube-scheduler counts domains of: whatever their taints and health are.
bool IsCounted(const Cluster& cluster, const Topology::Host& host, const Shape& shape) {
  return !FilterNode(cluster.node(host.node).object, shape, {}, FilterScope::kEver);
}

enum class Exact { kNo, kNow, kEver };

// Whether "at most" is all that the rule allows: some domain has no member now, or never can.
Exact SkewIsAtMost(const Cluster& cluster, const PlacementRequest& request, const RoleRequest& role,
                   LevelId level) {
  const Topology& topology = cluster.topology();
  Shape anywhere = cluster.shapes().Get(role.shape);
  anywhere.tolerations = {{.exists = true}};
  const SlotTree free = FreeSlots(cluster, request, role.shape);
  const SlotTree ever = EverSlots(cluster, request, role.shape);
  Exact exact = Exact::kNo;
  int64_t counted = 0;
  int64_t placed = 0;
  for (const Vertex& unit : UnitsOf(topology, level)) {
    const HostRange range = RangeOf(topology, unit);
    bool counts = false;
    for (uint32_t i = 0; i < range.count && !counts; ++i) {
      counts = IsCounted(cluster, topology.host(HostId(range.first.value() + i)), anywhere);
    }
    if (!counts) continue;
    ++counted;
    const int64_t here = PlacedIn(cluster, request, role.shape, range);
    placed += here;
    if (here == 0 && unit.Slots(ever) == 0) return Exact::kEver;
    if (here == 0 && unit.Slots(free) == 0) exact = Exact::kNow;
  }
  return counted > placed + role.count ? Exact::kEver : exact;
}

Exact ApartIsAtMost(const Cluster& cluster, const PlacementRequest& request,
                    const RoleRequest& role, LevelId level) {
  const Topology& topology = cluster.topology();
  if (level == topology.host_level()) return Exact::kEver;
  const SlotTree ever = EverSlots(cluster, request, role.shape);
  for (uint32_t i = 0; i < ever.hosts(); ++i) {
    if (ever.At(HostId(i)) > 0 && !topology.DomainAt(HostId(i), level).valid()) return Exact::kNo;
  }
  return Exact::kEver;
}

// What is followed of a rule for kube-scheduler.
SpreadRule Followed(const Cluster& cluster, const PlacementRequest& request,
                    const RoleRequest& role, LevelId required, SpreadRule rule) {
  const Topology& topology = cluster.topology();
  if (!rule.level.valid() || topology.CrossingOf(rule.level) != nullptr) return {};
  const SlotTree free = FreeSlots(cluster, request, role.shape);
  const SlotTree cut = CutToSpread(cluster, request, role.shape, rule, free);
  const RequiredScope scope(topology, required);
  if (MostUnderSpread(topology, scope, rule, cut, role.count) == role.count) return rule;
  const bool apart = cluster.shapes().Get(role.shape).spread.by == SpreadBy::kApart;
  const Exact exact = apart ? ApartIsAtMost(cluster, request, role, rule.level)
                            : SkewIsAtMost(cluster, request, role, rule.level);
  if (exact == Exact::kNo) return {};
  rule.may_ease = exact == Exact::kNow;
  return rule;
}

}  // namespace

SpreadRule SpreadRuleOf(const Cluster& cluster, const PlacementRequest& request,
                        const RoleRequest& role, LevelId required) {
  const Spread& spread = cluster.shapes().Get(role.shape).spread;
  if (spread.level.empty() || request.waived.spread) return {};
  SpreadRule rule{.level = cluster.topology().FindLevel(spread.level)};
  if (spread.at_most > 0) rule.at_most = spread.at_most;
  if (spread.by != SpreadBy::kAuthor) return Followed(cluster, request, role, required, rule);
  if (request.joining) return rule;
  rule.at_least = spread.at_least;
  rule.evenly = spread.evenly;
  return rule;
}

std::optional<Reason> SpreadRefused(const Cluster& cluster, const PlacementRequest& request,
                                    const RoleRequest& role) {
  const Spread& spread = cluster.shapes().Get(role.shape).spread;
  if (spread.level.empty() || request.waived.spread) return std::nullopt;
  if (spread.by != SpreadBy::kAuthor) return std::nullopt;
  const Topology& topology = cluster.topology();
  const LevelId level = topology.FindLevel(spread.level);
  if (level.valid() && topology.CrossingOf(level) == nullptr) return std::nullopt;
  Reason reason;
  reason.code = level.valid() ? ReasonCode::kInvalid : ReasonCode::kLevelUnknown;
  reason.subject = spread.level;
  reason.need = role.count;
  reason.never = true;
  if (!level.valid()) return reason;
  // Its domains are no vertices of the tree, so that nothing keeps their sums.
  reason.subject = "metadata.annotations[phalanx.dev/spread-topology]";
  reason.detail = fmt::format("is {}: expected a level that crosses no other", spread.level);
  return reason;
}

SlotTree CutToSpread(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                     const SpreadRule& rule, const SlotTree& free) {
  const Topology& topology = cluster.topology();
  std::vector<int32_t> slots(free.hosts(), 0);
  std::vector<int64_t> most(topology.domains().size(), -1);
  for (const Vertex& unit : UnitsOf(topology, rule.level)) {
    const HostRange range = RangeOf(topology, unit);
    const int64_t placed = PlacedIn(cluster, request, shape, range);
    const int64_t room = std::max<int64_t>(rule.at_most - placed, 0);
    if (std::min(unit.Slots(free), room) < rule.at_least) continue;
    if (unit.domain.valid()) most[unit.domain.index()] = room;
    for (uint32_t i = range.first.value(); i < range.first.value() + range.count; ++i) {
      slots[i] = static_cast<int32_t>(std::min<int64_t>(free.At(HostId(i)), room));
    }
  }
  // What is below a unit; parents come before their children.
  for (size_t i = 1; i < most.size(); ++i) {
    if (most[i] < 0) most[i] = most[topology.domains()[i].parent.index()];
  }
  std::vector<int64_t> sums = SumsUpTo(topology, slots, most);
  return SlotTree(std::move(slots), std::move(sums));
}

std::vector<Vertex> UnitsBelow(const Topology& topology, const Vertex& domain, LevelId level,
                               const SlotTree& cut) {
  const HostRange range = RangeOf(topology, domain);
  std::vector<Vertex> out;
  if (level == topology.host_level()) {
    for (uint32_t i = range.first.value(); i < range.first.value() + range.count; ++i) {
      if (cut.At(HostId(i)) > 0) out.push_back({DomainId::None(), HostId(i)});
    }
  } else {
    const auto units = topology.DomainsAt(level);
    const auto first_of = [&](DomainId id) { return topology.domain(id).first_host; };
    auto unit = std::partition_point(units.begin(), units.end(),
                                     [&](DomainId id) { return first_of(id) < range.first; });
    for (; unit != units.end() && Holds(range, first_of(*unit)); ++unit) {
      // A unit that begins where a finer domain does may be coarser than it.
      if (topology.domain(*unit).host_count > range.count) continue;
      if (cut.Sum(*unit) > 0) out.push_back({*unit, HostId::None()});
    }
  }
  if (out.empty() && domain.Slots(cut) > 0) out.push_back(domain);
  std::stable_sort(out.begin(), out.end(),
                   [&](const Vertex& a, const Vertex& b) { return a.Slots(cut) > b.Slots(cut); });
  return out;
}

int64_t MostInUnits(const std::vector<Vertex>& units, const SlotTree& cut, int32_t at_least,
                    int64_t upto) {
  int64_t best = 0;
  int64_t slots = 0;
  for (size_t used = 0; used < units.size() && best < upto; ++used) {
    slots += units[used].Slots(cut);
    if (static_cast<int64_t>(used + 1) * at_least > upto) break;
    best = std::max(best, std::min(slots, upto));
  }
  return best;
}

int64_t MostUnderSpread(const Topology& topology, const RequiredScope& scope,
                        const SpreadRule& rule, const SlotTree& cut, int64_t upto) {
  int64_t best = 0;
  for (const Vertex& domain : scope.Domains(cut, 1)) {
    const auto units = UnitsBelow(topology, domain, rule.level, cut);
    best = std::max(best, MostInUnits(units, cut, rule.at_least, upto));
  }
  return best;
}

Reason ExplainSpread(const Cluster& cluster, const PlacementRequest& request,
                     const RoleRequest& role, LevelId required, const SpreadRule& rule,
                     const SlotTree& free) {
  const Topology& topology = cluster.topology();
  const RequiredScope scope(topology, required);
  const auto most = [&](const SlotTree& slots, int64_t upto) {
    const SlotTree cut = CutToSpread(cluster, request, role.shape, rule, slots);
    return MostUnderSpread(topology, scope, rule, cut, upto);
  };
  const SlotTree ever = EverSlots(cluster, request, role.shape);
  Reason reason;
  reason.never = !rule.may_ease && most(ever, role.count) < role.count;
  // What makes it impossible for ever is told rather than what is short now.
  const bool never_by_rule = reason.never && MostInOne(scope, ever) >= role.count;
  if (!never_by_rule && MostInOne(scope, free) < role.count) {
    return ExplainRefusal(cluster, request, role, required, free);
  }
  reason.code = ReasonCode::kSpread;
  reason.need = role.count;
  reason.have = most(free, role.count - 1);
  reason.level = LevelName(topology, rule.level);
  reason.detail = Numbers(cluster.shapes().Get(role.shape).spread);
  reason.exclusions = CountExclusions(cluster, request, role.shape, required);
  return reason;
}

}  // namespace phalanx

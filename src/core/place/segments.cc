#include "core/place/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/place/free_slots.h"

namespace phalanx {
namespace {

SlotTree OnHosts(const Topology& topology, const SlotTree& free, int32_t size) {
  std::vector<int32_t> slots = free.values();
  for (int32_t& here : slots) here -= here % size;
  return SlotTree(topology, std::move(slots));
}

}  // namespace

SlotTree InSegments(const Topology& topology, const SlotTree& free, LevelId level, int32_t size) {
  if (!level.valid() || size == 1) return free;
  if (level == topology.host_level()) return OnHosts(topology, free, size);
  std::vector<int32_t> slots(free.hosts(), 0);
  std::vector<int64_t> sums(topology.domains().size(), 0);
  for (const DomainId id : topology.DomainsAt(level)) {
    const Topology::Domain& domain = topology.domain(id);
    for (uint32_t i = 0; i < domain.host_count; ++i) {
      const HostId host(domain.first_host.value() + i);
      slots[host.index()] = free.At(host);
    }
    sums[id.index()] = free.Sum(id) - free.Sum(id) % size;
  }
  // Parents come before their children, and what is finer than the level lies below a domain of it.
  for (uint32_t i = static_cast<uint32_t>(sums.size()); i-- > 1;) {
    const Topology::Domain& domain = topology.domains()[i];
    if (domain.level <= level) sums[domain.parent.index()] += sums[i];
  }
  for (uint32_t i = 1; i < sums.size(); ++i) {
    const Topology::Domain& domain = topology.domains()[i];
    const bool inside = domain.level > level && topology.DomainAt(domain.first_host, level).valid();
    if (inside) sums[i] = free.Sum(DomainId(i));
  }
  return SlotTree(std::move(slots), std::move(sums));
}

SegmentRule RuleOf(const Cluster& cluster, const PlacementRequest& request, ShapeId shape) {
  const Topology& topology = cluster.topology();
  const Segment& segment = cluster.shapes().Get(shape).segment;
  if (segment.size == 1 || request.joining || request.waived.segments) return {};
  SegmentRule rule{segment.size, {}};
  const LevelId required = topology.FindLevel(segment.required_level);
  const LevelId preferred = topology.FindLevel(segment.preferred_level);
  const uint32_t coarsest = required.valid() ? required.value() : 0;
  if (preferred.valid()) {
    for (uint32_t level = preferred.value() + 1; level-- > coarsest;) {
      rule.levels.push_back(LevelId(level));
    }
  }
  if (rule.levels.empty() && required.valid()) rule.levels.push_back(required);
  if (!required.valid()) rule.levels.push_back(LevelId::None());
  return rule;
}

std::optional<Reason> SegmentsRefused(const Cluster& cluster, const PlacementRequest& request,
                                      const RoleRequest& role) {
  const Segment& segment = cluster.shapes().Get(role.shape).segment;
  if (segment.size == 1 || request.joining || request.waived.segments) return std::nullopt;
  Reason reason;
  reason.need = role.count;
  reason.never = true;
  if (!segment.required_level.empty() &&
      !cluster.topology().FindLevel(segment.required_level).valid()) {
    reason.code = ReasonCode::kLevelUnknown;
    reason.subject = segment.required_level;
    return reason;
  }
  if (role.count % segment.size == 0) return std::nullopt;
  reason.code = ReasonCode::kInvalid;
  reason.subject = "metadata.annotations[phalanx.dev/segment-size]";
  reason.detail = fmt::format("is {}: expected a divisor of {}, the number of members of its role",
                              segment.size, role.count);
  return reason;
}

SegmentedSlots BestSegments(const Topology& topology, const SegmentRule& rule,
                            const RequiredScope& scope, const SlotTree& free, int32_t members) {
  // A finer domain need not lie in any domain of the required level.
  const SlotTree inside =
      rule.levels.size() > 1
          ? OnlyOn(topology, free, RequiredScope(topology, rule.Required()).Hosts())
          : free;
  for (size_t i = 0;; ++i) {
    SlotTree slots = InSegments(topology, inside, rule.levels[i], rule.size);
    const bool last = i + 1 == rule.levels.size();
    if (last || !scope.Domains(slots, members).empty()) return {rule.levels[i], std::move(slots)};
  }
}

}  // namespace phalanx

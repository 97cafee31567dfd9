#include "core/place/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/ratio.h"
#include "core/place/assemble.h"
#include "core/place/equal.h"
#include "core/place/free_slots.h"
#include "core/place/refusal.h"
#include "core/place/segments.h"
#include "core/place/small_roles.h"
#include "core/place/spread.h"
#include "core/place/spread_search.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

// --- Order of the roles -------------------------------------------------------------------------

using Totals = std::map<ResourceId, int64_t>;

Totals TotalAllocatable(const Cluster& cluster) {
  std::map<ResourceId, Int128> sums;
  for (const Topology::Host& host : cluster.topology().hosts()) {
    for (const auto& [resource, amount] : cluster.node(host.node).allocatable.entries()) {
      sums[resource] += amount;
    }
  }
  Totals totals;
  for (const auto& [resource, sum] : sums) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    totals[resource] = static_cast<int64_t>(std::min<Int128>(sum, kMost));
  }
  return totals;
}

// Of what nodes have: what they share decides nothing about where a role may go.
Ratio DominantShare(const ResourceNames& names, const Shape& shape, const Totals& totals) {
  Ratio dominant{0, 1};
  for (const auto& [resource, amount] : shape.request.entries()) {
    if (IsSharedPool(names.Name(resource))) continue;
    const auto it = totals.find(resource);
    const Ratio share{amount, it == totals.end() ? 0 : it->second};
    if (CompareRatios(share, dominant) > 0) dominant = share;
  }
  return dominant;
}

// --- One candidate domain -----------------------------------------------------------------------

// How far the roles came in one candidate.
struct Attempt {
  std::vector<SlotsOnHost> taken;
  size_t roles_placed = 0;
  int64_t have = 0;  // of the first role that failed
  ProvenThrough proven = ProvenThrough::kFeasibility;
  int64_t cells = 0;
  std::vector<HostId> hosts;  // used, depth first
};

class RoleSearch {
 public:
  RoleSearch(const Cluster& cluster, const PlacementRequest& request,
             const std::vector<RoleRequest>& roles, LevelId required)
      : cluster_(cluster),
        request_(request),
        roles_(roles),
        required_(required),
        topology_(cluster.topology()),
        scope_(topology_, required) {
    for (const RoleRequest& role : roles) {
      rules_.push_back(RuleOf(cluster, request, role.shape));
      spreads_.push_back(SpreadRuleOf(cluster, request, role, required));
      free_.push_back(CutIfSpread(spreads_.size() - 1, FreeSlots(cluster, request, role.shape)));
      whole_.push_back(
          InSegments(topology_, free_.back(), rules_.back().Required(), rules_.back().size));
      work_ += static_cast<int64_t>(free_.back().hosts());
    }
  }

  PlacementAnswer Run() {
    if (auto refusal = RoleAloneRefused()) return std::move(*refusal);
    if (auto refusal = SumsRefused()) return std::move(*refusal);
    if (auto refusal = NoCommonDomain()) return std::move(*refusal);
    if (auto placed = PlacedExactly()) return std::move(*placed);
    std::optional<Attempt> best;
    for (const LevelId level : scope_.FinestFirst()) {
      for (const Vertex& candidate : CandidatesAt(level)) {
        if (work_ / kBudgets > request_.max_cells) break;
        Consider(TryIn(candidate), candidate, best);
        if (best && candidate.host.valid()) break;  // one host touches as little as another
      }
      if (best) return Answer(*best);
    }
    return NotTogether();
  }

 private:
  SlotTree CutIfSpread(size_t role, SlotTree slots) const {
    const SpreadRule& rule = spreads_[role];
    if (!rule.Any()) return slots;
    return CutToSpread(cluster_, request_, roles_[role].shape, rule, slots);
  }

  // Where all roles but one are small, and only the large one comes in segments: at the first of
  // their levels at which anything fits. A refusal is left to the search below, which fails as
  // well: how far it comes is what the reason tells.
  std::optional<PlacementAnswer> PlacedExactly() {
    if (!AreSmallRoles(roles_)) return std::nullopt;
    const size_t large = LargeRole(roles_);
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (spreads_[i].Any() || (rules_[i].Whole() && i != large)) return std::nullopt;
    }
    const SegmentRule& rule = rules_[large];
    for (const LevelId level : rule.levels) {
      SmallRolesAnswer exact = PlaceSegmented(large, {rule.size, level});
      work_ += exact.cells;
      if (!exact.finished) return std::nullopt;
      if (!exact.taken) continue;
      return PlacementAnswer{
          Assemble(topology_, request_, std::move(*exact.taken), ProvenThrough::kAll),
          ShapeId::None(), work_};
    }
    refuted_ = true;
    return std::nullopt;
  }

  SmallRolesAnswer PlaceSegmented(size_t large, const LargeSegments& segments) const {
    const int64_t budget = request_.max_cells / kSmallRolesShare;
    if (!rules_[large].Whole()) return PlaceSmallRoles(cluster_, scope_, roles_, free_, {}, budget);
    std::vector<SlotTree> free = free_;
    // A finer domain need not lie in any domain of the required level.
    const LevelId required = rules_[large].Required();
    if (required.valid() && segments.level != required) {
      free[large] = OnlyOn(topology_, free[large], RequiredScope(topology_, required).Hosts());
    }
    free[large] = InSegments(topology_, free[large], segments.level, segments.size);
    return PlaceSmallRoles(cluster_, scope_, roles_, free, segments, budget);
  }

  bool RoomForEach(const Vertex& vertex) const {
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (vertex.Slots(whole_[i]) < roles_[i].count) return false;
    }
    return true;
  }

  std::vector<Vertex> CandidatesAt(LevelId level) const {
    std::vector<Vertex> candidates = scope_.At(level, whole_.front(), roles_.front().count);
    std::erase_if(candidates, [&](const Vertex& vertex) { return !RoomForEach(vertex); });
    return candidates;
  }

  PlacementAnswer Refuse(size_t role, Reason reason) const {
    return {std::move(reason), roles_[role].shape, work_};
  }

  Reason SpreadReason(size_t role) const {
    const SlotTree free = FreeSlots(cluster_, request_, roles_[role].shape);
    return ExplainSpread(cluster_, request_, roles_[role], required_, spreads_[role], free);
  }

  // A role that finds no domain even by itself: proven.
  std::optional<PlacementAnswer> RoleAloneRefused() const {
    for (size_t i = 0; i < roles_.size(); ++i) {
      const int32_t count = roles_[i].count;
      if (spreads_[i].Any()) {
        if (MostUnderSpread(topology_, scope_, spreads_[i], free_[i], count) == count) continue;
        return Refuse(i, SpreadReason(i));
      }
      if (!scope_.Domains(whole_[i], count).empty()) continue;
      return Refuse(i, ExplainRefusal(cluster_, request_, roles_[i], required_, free_[i]));
    }
    return std::nullopt;
  }

  // All roles together ask for more of a resource than is free where any of them may go: proven.
  // The largest role that asks for it is blamed, with what the others leave it.
  std::optional<PlacementAnswer> SumsRefused() const {
    std::map<ResourceId, Int128> needed;
    for (const RoleRequest& role : roles_) {
      for (const auto& [resource, amount] : Request(role).entries()) {
        needed[resource] += Int128{amount} * role.count;
      }
    }
    std::optional<PlacementAnswer> refusal;
    std::string first;
    for (const auto& [resource, need] : needed) {
      const Int128 free = FreeWhereAnyGoes(resource);
      const std::string& name = cluster_.resources().Name(resource);
      if (free >= need || (refusal && first < name)) continue;
      first = name;
      refusal = SumRefusal(resource, free, need);
    }
    return refusal;
  }

  PlacementAnswer SumRefusal(ResourceId resource, Int128 free, Int128 need) const {
    size_t blamed = 0;
    while (Request(roles_[blamed]).Get(resource) == 0) ++blamed;
    const int64_t each = Request(roles_[blamed]).Get(resource);
    const Int128 others = need - Int128{each} * roles_[blamed].count;
    Reason reason = Basics(blamed);
    reason.code = ReasonCode::kCapacity;
    reason.have = static_cast<int64_t>(std::max<Int128>(free - others, 0) / each);
    reason.subject = cluster_.resources().Name(resource);
    reason.detail = fmt::format("{} of {}", Clip(free), Clip(need));
    return Refuse(blamed, std::move(reason));
  }

  static int64_t Clip(Int128 value) {
    return static_cast<int64_t>(std::min<Int128>(value, std::numeric_limits<int64_t>::max()));
  }

  // Free of a resource on the hosts that take a member of a role that asks for it.
  Int128 FreeWhereAnyGoes(ResourceId resource) const {
    Int128 sum = 0;
    for (uint32_t host = 0; host < topology_.hosts().size(); ++host) {
      for (size_t i = 0; i < roles_.size(); ++i) {
        if (free_[i].At(HostId(host)) == 0 || Request(roles_[i]).Get(resource) == 0) continue;
        sum += cluster_.Free(topology_.hosts()[host].node, resource);
        break;
      }
    }
    return sum;
  }

  // Each role has a domain, but no domain has room for each: proven. Blamed is the first role that
  // fails in all domains that take the roles before it.
  std::optional<PlacementAnswer> NoCommonDomain() const {
    std::vector<Vertex> domains = scope_.Domains(whole_.front(), 0);
    for (size_t i = 0; i < roles_.size(); ++i) {
      const auto most =
          std::max_element(domains.begin(), domains.end(), [&](const Vertex& a, const Vertex& b) {
            return a.Slots(whole_[i]) < b.Slots(whole_[i]);
          });
      const Vertex best = *most;
      std::erase_if(
          domains, [&](const Vertex& domain) { return domain.Slots(whole_[i]) < roles_[i].count; });
      if (!domains.empty()) continue;
      Reason reason = InDomain(i, best, best.Slots(whole_[i]));
      return Refuse(i, std::move(reason));
    }
    return std::nullopt;
  }

  Reason Basics(size_t role) const {
    Reason reason;
    reason.need = roles_[role].count;
    reason.exclusions = CountExclusions(cluster_, request_, roles_[role].shape, required_);
    return reason;
  }

  Reason InDomain(size_t role, const Vertex& domain, int64_t have) const {
    Reason reason = Basics(role);
    reason.have = have;
    reason.code = required_.valid() ? ReasonCode::kTopology : ReasonCode::kFragmentation;
    if (!required_.valid()) return reason;
    const bool host = required_ == topology_.host_level();
    reason.level = host ? "host" : topology_.levels()[required_.index()].name;
    reason.domain = domain.Path(topology_);
    return reason;
  }

  const Resources& Request(const RoleRequest& role) const {
    return cluster_.shapes().Get(role.shape).request;
  }

  // The slots of a role below a candidate, on what earlier roles left.
  SlotTree SlotsLeft(size_t role, const Vertex& candidate,
                     const std::map<HostId, Resources>& used) const {
    std::vector<int32_t> slots(topology_.hosts().size(), 0);
    uint32_t first = candidate.host.value();
    uint32_t count = 1;
    if (!candidate.host.valid()) {
      first = topology_.domain(candidate.domain).first_host.value();
      count = topology_.domain(candidate.domain).host_count;
    }
    for (uint32_t i = first; i < first + count; ++i) slots[i] = free_[role].At(HostId(i));
    for (const auto& [host, taken] : used) {
      const int64_t left = cluster_.Slots(topology_.host(host).node, roles_[role].shape, taken);
      slots[host.index()] = static_cast<int32_t>(std::min<int64_t>(left, slots[host.index()]));
    }
    return SlotTree(topology_, std::move(slots));
  }

  // Largest first; if that fails, each other role once at the front, since a role that can go to
  // few hosts may find them taken.
  Attempt TryIn(const Vertex& candidate) {
    std::vector<size_t> order(roles_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    Attempt first = TryInOrder(candidate, order);
    if (first.roles_placed == roles_.size() || roles_.size() > kMostRolesReordered) return first;
    for (size_t i = 1; i < roles_.size(); ++i) {
      std::vector<size_t> other = order;
      std::rotate(other.begin(), other.begin() + static_cast<ptrdiff_t>(i),
                  other.begin() + static_cast<ptrdiff_t>(i) + 1);
      Attempt next = TryInOrder(candidate, other);
      if (next.roles_placed == roles_.size()) return next;
    }
    return first;
  }

  Attempt TryInOrder(const Vertex& candidate, const std::vector<size_t>& order) {
    Attempt attempt;
    TouchedBefore touched{std::vector<char>(topology_.domains().size(), 0),
                          std::vector<char>(topology_.hosts().size(), 0)};
    std::map<HostId, Resources> used;
    for (const size_t i : order) {
      const SlotTree left = SlotsLeft(i, candidate, used);
      const auto placed = PlaceOneRole(i, candidate, left, touched, attempt);
      if (!placed) break;
      Use(i, *placed, used, touched);
      for (const HostShare& share : *placed) {
        attempt.taken.push_back({share.host, roles_[i].shape, share.members});
      }
      ++attempt.roles_placed;
    }
    for (const auto& [host, amount] : used) attempt.hosts.push_back(host);
    work_ += attempt.cells;
    return attempt;
  }

  // nullopt: it finds no place; `attempt` tells how many would.
  std::optional<std::vector<HostShare>> PlaceOneRole(size_t role, const Vertex& candidate,
                                                     const SlotTree& left,
                                                     const TouchedBefore& touched,
                                                     Attempt& attempt) const {
    const int32_t members = roles_[role].count;
    attempt.cells += static_cast<int64_t>(left.hosts());
    if (spreads_[role].Any()) {
      const RequiredScope inside(topology_, LevelOf(candidate));
      SpreadAnswer found =
          SearchSpread({cluster_, request_, roles_[role], spreads_[role], left, touched}, inside);
      attempt.cells += found.cells;
      attempt.have = std::min<int64_t>(left.Sum(), found.placed ? members : members - 1);
      if (!found.placed) return std::nullopt;
      return std::move(found.placed->taken);
    }
    const RequiredScope all(topology_, LevelId::None());
    const auto [level, slots] = BestSegments(topology_, rules_[role], all, left, members);
    attempt.have = slots.Sum();
    if (attempt.have < members) return std::nullopt;
    const TreeQuery query{topology_, slots, members, touched, rules_[role].size, level};
    EqualPlacement placed = PlaceEqual(query, std::vector{candidate}, request_.max_cells);
    attempt.cells += placed.cells;
    return std::move(placed.taken);
  }

  LevelId LevelOf(const Vertex& vertex) const {
    return vertex.host.valid() ? topology_.host_level() : topology_.domain(vertex.domain).level;
  }

  void Use(size_t role, const std::vector<HostShare>& taken, std::map<HostId, Resources>& used,
           TouchedBefore& touched) const {
    for (const HostShare& share : taken) {
      used[share.host].Add(Request(roles_[role]).InWholeDevices(), share.members);
      touched.hosts[share.host.index()] = 1;
      for (DomainId id = topology_.host(share.host).parent; id.valid();
           id = topology_.domain(id).parent) {
        touched.domains[id.index()] = 1;
      }
    }
  }

  void Consider(Attempt attempt, const Vertex& candidate, std::optional<Attempt>& best) {
    if (attempt.roles_placed < roles_.size()) {
      const bool further =
          !nearest_ || attempt.roles_placed > nearest_->roles_placed ||
          (attempt.roles_placed == nearest_->roles_placed && attempt.have > nearest_->have);
      if (!further) return;
      nearest_ = std::move(attempt);
      nearest_in_ = candidate;
      return;
    }
    if (best &&
        TouchedPerLevel(topology_, attempt.hosts) >= TouchedPerLevel(topology_, best->hosts)) {
      return;
    }
    best = std::move(attempt);
  }

  PlacementAnswer Answer(const Attempt& attempt) const {
    return {Assemble(topology_, request_, attempt.taken, attempt.proven), ShapeId::None(), work_};
  }

  // The budget may be spent before any candidate was tried: then nothing is known of any role.
  PlacementAnswer NotTogether() const {
    const size_t role = nearest_ ? nearest_->roles_placed : 0;
    Reason reason = InDomain(role, nearest_ ? nearest_in_ : Vertex{topology_.root(), {}},
                             nearest_ ? nearest_->have : 0);
    reason.proven = refuted_ ? ProvenThrough::kFeasibility : ProvenThrough::kNothing;
    return Refuse(role, std::move(reason));
  }

  static constexpr size_t kMostRolesReordered = 8;
  // Its cells are kept in memory until the trace ends.
  static constexpr int64_t kSmallRolesShare = 8;
  static constexpr int64_t kBudgets = 16;  // what all attempts may cost, in budgets of one stage

  const Cluster& cluster_;
  const PlacementRequest& request_;
  const std::vector<RoleRequest>& roles_;
  const LevelId required_;
  const Topology& topology_;
  const RequiredScope scope_;
  std::vector<SegmentRule> rules_;  // by role
  std::vector<SpreadRule> spreads_;
  std::vector<SlotTree> free_;      // by role
  std::vector<SlotTree> whole_;     // by role, in whole segments
  std::optional<Attempt> nearest_;  // the failed attempt that came furthest
  Vertex nearest_in_;
  bool refuted_ = false;  // no placement of all roles exists
  int64_t work_ = 0;
};

}  // namespace

void SortLargestFirst(const Cluster& cluster, std::vector<RoleRequest>& roles) {
  const Totals totals = TotalAllocatable(cluster);
  const auto before = [&](const RoleRequest& a, const RoleRequest& b) {
    const Shape& left = cluster.shapes().Get(a.shape);
    const Shape& right = cluster.shapes().Get(b.shape);
    const ResourceNames& names = cluster.resources();
    const auto order =
        CompareRatios(DominantShare(names, left, totals), DominantShare(names, right, totals));
    if (order != 0) return order > 0;
    const QuantityMap left_request = left.request.ToMap(names);
    const QuantityMap right_request = right.request.ToMap(names);
    return std::tie(left_request, left.node_selector, left.required_terms, left.tolerations,
                    left.segment, left.spread) < std::tie(right_request, right.node_selector,
                                                          right.required_terms, right.tolerations,
                                                          right.segment, right.spread);
  };
  std::sort(roles.begin(), roles.end(), before);
}

PlacementAnswer PlaceRoles(const Cluster& cluster, const PlacementRequest& request,
                           const std::vector<RoleRequest>& roles, LevelId required) {
  return RoleSearch(cluster, request, roles, required).Run();
}

}  // namespace phalanx

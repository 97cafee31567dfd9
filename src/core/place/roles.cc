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
#include "core/place/knapsack.h"
#include "core/place/refusal.h"
#include "core/place/slot_tree.h"
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

Ratio DominantShare(const Shape& shape, const Totals& totals) {
  Ratio dominant{0, 1};
  for (const auto& [resource, amount] : shape.request.entries()) {
    const auto it = totals.find(resource);
    const Ratio share{amount, it == totals.end() ? 0 : it->second};
    if (CompareRatios(share, dominant) > 0) dominant = share;
  }
  return dominant;
}

// --- One candidate domain -----------------------------------------------------------------------

// How far the roles came in one candidate.
struct Attempt {
  TakenByShape taken;
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
      free_.push_back(FreeSlots(cluster, request, role.shape, role.count));
      work_ += static_cast<int64_t>(free_.back().hosts());
    }
  }

  PlacementAnswer Run() {
    if (auto refusal = RoleAloneRefused()) return std::move(*refusal);
    if (auto refusal = SumsRefused()) return std::move(*refusal);
    if (auto refusal = NoCommonDomain()) return std::move(*refusal);
    std::optional<Attempt> best;
    for (const LevelId level : scope_.FinestFirst()) {
      for (const Vertex& candidate : CandidatesAt(level)) {
        if (work_ > request_.max_cells) break;
        Consider(TryIn(candidate), candidate, best);
        if (best && candidate.host.valid()) break;  // one host touches as little as another
      }
      if (best) return Answer(*best);
    }
    return Unproven();
  }

 private:
  bool RoomForEach(const Vertex& vertex) const {
    for (size_t i = 0; i < roles_.size(); ++i) {
      if (vertex.Slots(topology_, free_[i]) < roles_[i].count) return false;
    }
    return true;
  }

  std::vector<Vertex> CandidatesAt(LevelId level) const {
    std::vector<Vertex> candidates = scope_.At(level);
    std::erase_if(candidates, [&](const Vertex& vertex) { return !RoomForEach(vertex); });
    return candidates;
  }

  PlacementAnswer Refuse(size_t role, Reason reason) const {
    return {std::move(reason), roles_[role].shape, work_};
  }

  // A role that finds no domain even by itself: proven.
  std::optional<PlacementAnswer> RoleAloneRefused() const {
    for (size_t i = 0; i < roles_.size(); ++i) {
      const std::vector<Vertex> domains = scope_.Domains();
      const bool fits = std::any_of(domains.begin(), domains.end(), [&](const Vertex& domain) {
        return domain.Slots(topology_, free_[i]) >= roles_[i].count;
      });
      if (fits) continue;
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
    std::vector<Vertex> domains = scope_.Domains();
    for (size_t i = 0; i < roles_.size(); ++i) {
      const auto most =
          std::max_element(domains.begin(), domains.end(), [&](const Vertex& a, const Vertex& b) {
            return a.Slots(topology_, free_[i]) < b.Slots(topology_, free_[i]);
          });
      const Vertex best = *most;
      std::erase_if(domains, [&](const Vertex& domain) {
        return domain.Slots(topology_, free_[i]) < roles_[i].count;
      });
      if (!domains.empty()) continue;
      Reason reason = InDomain(i, best, best.Slots(topology_, free_[i]));
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
    return SlotTree(std::move(slots));
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
      const SlotTree slots = SlotsLeft(i, candidate, used);
      attempt.have = slots.Total();
      if (slots.Total() < roles_[i].count) break;
      EqualPlacement placed = PlaceEqual(topology_, slots, std::vector{candidate}, roles_[i].count,
                                         request_.max_cells, touched);
      attempt.cells += placed.cells + static_cast<int64_t>(slots.hosts());
      Use(i, placed.taken, used, touched);
      attempt.taken.emplace(roles_[i].shape, std::move(placed.taken));
      ++attempt.roles_placed;
    }
    for (const auto& [host, amount] : used) attempt.hosts.push_back(host);
    work_ += attempt.cells;
    return attempt;
  }

  void Use(size_t role, const std::vector<int32_t>& taken, std::map<HostId, Resources>& used,
           TouchedBefore& touched) const {
    for (uint32_t i = 0; i < taken.size(); ++i) {
      if (taken[i] == 0) continue;
      Resources& amount = used[HostId(i)];
      amount.Add(Request(roles_[role]), taken[i]);
      touched.hosts[i] = 1;
      for (DomainId id = topology_.hosts()[i].parent; id.valid();
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
  PlacementAnswer Unproven() const {
    const size_t role = nearest_ ? nearest_->roles_placed : 0;
    Reason reason = InDomain(role, nearest_ ? nearest_in_ : Vertex{topology_.root(), {}},
                             nearest_ ? nearest_->have : 0);
    reason.proven = ProvenThrough::kNothing;
    return Refuse(role, std::move(reason));
  }

  static constexpr size_t kMostRolesReordered = 8;

  const Cluster& cluster_;
  const PlacementRequest& request_;
  const std::vector<RoleRequest>& roles_;
  const LevelId required_;
  const Topology& topology_;
  const RequiredScope scope_;
  std::vector<SlotTree> free_;      // by role
  std::optional<Attempt> nearest_;  // the failed attempt that came furthest
  Vertex nearest_in_;
  int64_t work_ = 0;
};

}  // namespace

void SortLargestFirst(const Cluster& cluster, std::vector<RoleRequest>& roles) {
  const Totals totals = TotalAllocatable(cluster);
  const auto before = [&](const RoleRequest& a, const RoleRequest& b) {
    const Shape& left = cluster.shapes().Get(a.shape);
    const Shape& right = cluster.shapes().Get(b.shape);
    const auto order = CompareRatios(DominantShare(left, totals), DominantShare(right, totals));
    if (order != 0) return order > 0;
    const ResourceNames& names = cluster.resources();
    const QuantityMap left_request = left.request.ToMap(names);
    const QuantityMap right_request = right.request.ToMap(names);
    return std::tie(left_request, left.node_selector, left.required_terms, left.tolerations) <
           std::tie(right_request, right.node_selector, right.required_terms, right.tolerations);
  };
  std::sort(roles.begin(), roles.end(), before);
}

PlacementAnswer PlaceRoles(const Cluster& cluster, const PlacementRequest& request,
                           const std::vector<RoleRequest>& roles, LevelId required) {
  return RoleSearch(cluster, request, roles, required).Run();
}

}  // namespace phalanx

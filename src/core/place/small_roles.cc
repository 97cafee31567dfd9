#include "core/place/small_roles.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/place/key.h"
#include "core/place/role_states.h"
#include "core/place/state_knapsack.h"
#include "core/place/tree_query.h"

namespace phalanx {
namespace {

class SmallRoleSearch {
 public:
  SmallRoleSearch(const Cluster& cluster, const RequiredScope& scope,
                  const std::vector<RoleRequest>& roles, const std::vector<SlotTree>& free,
                  const LargeSegments& segments, int64_t max_cells)
      : cluster_(cluster),
        topology_(cluster.topology()),
        scope_(scope),
        roles_(roles),
        free_(free),
        states_(roles),
        left_(max_cells),
        any_(AnyRole()),
        query_{topology_, any_,          roles[states_.large()].count,
               nothing_,  segments.size, segments.level},
        beside_(any_.hosts()) {}

  SmallRolesAnswer Run() {
    for (const LevelId level : scope_.FinestFirst()) {
      const std::vector<Vertex> candidates = Candidates(level);
      if (candidates.empty()) continue;
      const bool found =
          candidates.front().host.valid() ? OnOneHost(candidates) : Below(candidates);
      if (left_ < 0) return {false, std::nullopt, spent_};
      if (found) return {true, std::move(taken_), spent_};
    }
    return {true, std::nullopt, spent_};
  }

 private:
  SlotTree AnyRole() const {
    std::vector<int32_t> slots = free_.front().values();
    for (const SlotTree& tree : free_) {
      for (size_t i = 0; i < slots.size(); ++i) slots[i] = std::max(slots[i], tree.values()[i]);
    }
    return SlotTree(topology_, std::move(slots));
  }

  // Vertices with room for each role by itself.
  std::vector<Vertex> Candidates(LevelId level) const {
    std::vector<Vertex> candidates = scope_.At(level, free_.front(), roles_.front().count);
    std::erase_if(candidates, [&](const Vertex& vertex) {
      for (size_t i = 0; i < roles_.size(); ++i) {
        if (vertex.Slots(free_[i]) < roles_[i].count) return true;
      }
      return false;
    });
    return candidates;
  }

  const std::vector<int32_t>& Beside(HostId host) {
    std::vector<int32_t>& beside = beside_[host.index()];
    if (beside.empty()) {
      beside = LargeBesideSmall(cluster_, states_, roles_, free_, host);
      if (query_.segment_level == topology_.host_level()) {
        for (int32_t& most : beside)
          most = most < 0 ? most : most / query_.segment * query_.segment;
      }
      Spend(static_cast<int64_t>(states_.size()));
    }
    return beside;
  }
  void Spend(int64_t cells) {
    left_ -= cells;
    spent_ += cells;
  }

  bool OnOneHost(const std::vector<Vertex>& candidates) {
    for (const Vertex& candidate : candidates) {
      if (Beside(candidate.host)[states_.all()] < query_.members) continue;
      Take({candidate.host, query_.members, states_.all()});
      return true;
    }
    return false;
  }

  bool Below(const std::vector<Vertex>& candidates) {
    std::vector<int64_t> most(topology_.levels().size() + 1, 0);
    for (const Vertex& candidate : candidates) {
      const Topology::Domain& domain = topology_.domain(candidate.domain);
      for (uint32_t i = 0; i < domain.host_count; ++i) {
        const HostId host(domain.first_host.value() + i);
        if (any_.At(host) > 0) Beside(host);
      }
      // All members count: a host may be touched by a small role alone.
      TreeQuery everybody{topology_, any_, 0, nothing_};
      for (const RoleRequest& role : roles_) everybody.members += role.count;
      const std::vector<int64_t> here = Census(everybody, candidate.domain).Most(true);
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], here[i]);
    }
    const KeyLayout layout(most);
    if (layout.bits() <= kKeyBits<int64_t>) return BelowWith<int64_t>(candidates, layout);
    if (layout.bits() <= kKeyBits<Int128>) return BelowWith<Int128>(candidates, layout);
    return BelowWith<Key256>(candidates, layout);
  }

  template <class Key>
  bool BelowWith(const std::vector<Vertex>& candidates, const KeyLayout& layout) {
    std::unique_ptr<StateKnapsack<Key>> best;
    for (const Vertex& candidate : candidates) {
      auto next = std::make_unique<StateKnapsack<Key>>(query_, layout, states_, beside_,
                                                       candidate.domain, left_);
      Spend(next->cells());
      if (!next->finished()) return false;
      if (next->Fits() && (!best || next->Best() < best->Best())) best = std::move(next);
    }
    if (!best) return false;
    std::vector<StateShare> shares;
    best->Trace(shares);
    for (const StateShare& share : shares) Take(share);
    return true;
  }

  void Take(const StateShare& share) {
    const auto add = [&](size_t role, int32_t members) {
      if (members > 0) taken_.push_back({share.host, roles_[role].shape, members});
    };
    add(states_.large(), share.large);
    for (size_t i = 0; i < states_.small().size(); ++i) {
      add(states_.small()[i], states_.Digit(share.state, i));
    }
  }

  const Cluster& cluster_;
  const Topology& topology_;
  const RequiredScope& scope_;
  const std::vector<RoleRequest>& roles_;
  const std::vector<SlotTree>& free_;
  const RoleStates states_;
  int64_t left_;
  int64_t spent_ = 0;
  const TouchedBefore nothing_;
  const SlotTree any_;  // above zero where any role finds a slot
  const TreeQuery query_;
  std::vector<std::vector<int32_t>> beside_;  // by host; made when needed
  std::vector<SlotsOnHost> taken_;
};

}  // namespace

bool AreSmallRoles(const std::vector<RoleRequest>& roles) {
  return roles.size() > 1 && RoleStates(roles).Few();
}

size_t LargeRole(const std::vector<RoleRequest>& roles) { return RoleStates(roles).large(); }

SmallRolesAnswer PlaceSmallRoles(const Cluster& cluster, const RequiredScope& scope,
                                 const std::vector<RoleRequest>& roles,
                                 const std::vector<SlotTree>& free, const LargeSegments& segments,
                                 int64_t max_cells) {
  return SmallRoleSearch(cluster, scope, roles, free, segments, max_cells).Run();
}

}  // namespace phalanx

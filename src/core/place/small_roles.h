// Exact placement of one large role beside a few members of others: a leader and its workers.
//
// The knapsack of knapsack.h with one staircase per *state*: how many members of each small role
// are below the vertex. With one leader there are two states, so it costs four times as much as
// equal members; with small roles of q1, q2, ... members there are (q1 + 1)(q2 + 1)... of them.
//
//     host of 8 GPUs and 10 cores, workers of 4 GPUs and 2 cores, a leader of 7 cores
//     state "no leader":  0 workers touch nothing, up to 2 touch the host
//     state "leader":     up to 1 worker beside it (3 cores are left), the host is touched
//
// Where the large role comes in segments, the tables of domains of the segment level have it at 0,
// n, 2n, ..., as in knapsack.h.
//
// Exact through all terms: domains and hosts touched by any role count once. Ties: the first child
// takes as many members of the large role as any best placement allows, then as many of the small
// ones.
#ifndef PHALANX_CORE_PLACE_SMALL_ROLES_H_
#define PHALANX_CORE_PLACE_SMALL_ROLES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"
#include "core/place/vertices.h"

namespace phalanx {

struct SmallRolesAnswer {
  bool finished = false;  // false: the budget was spent, and nothing is known
  // Members by host; absent: no placement exists.
  std::optional<std::vector<SlotsOnHost>> taken;
  int64_t cells = 0;
};

// Whether the roles have few enough states: at most kMostStates but for the largest role.
bool AreSmallRoles(const std::vector<RoleRequest>& roles);
// The index of the role with the most members, the first on a tie.
size_t LargeRole(const std::vector<RoleRequest>& roles);

// Members of the large role come in segments that are whole in a domain of the level; None: they do
// not. Those of small roles never do.
struct LargeSegments {
  int32_t size = 1;
  LevelId level = LevelId::None();
};

// `free` by role, in the order of `roles`: what each finds by itself, of the large role in segments
// (InSegments()). REQUIRES: AreSmallRoles(roles), distinct shapes, counts above zero.
SmallRolesAnswer PlaceSmallRoles(const Cluster& cluster, const RequiredScope& scope,
                                 const std::vector<RoleRequest>& roles,
                                 const std::vector<SlotTree>& free, const LargeSegments& segments,
                                 int64_t max_cells);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SMALL_ROLES_H_

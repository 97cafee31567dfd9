// How many members of a role the domains of one level take: at most so many each, at least so many
// or none, and in numbers as equal as the fewest domains allow.
//
//     two racks of 10 slots, 12 members:   packed 10 + 2    evenly 6 + 6    at least 4: 8 + 4
//
// "At most" is a lower number of slots: the slots of a domain of the level (a *unit*), and of each
// vertex below it, are cut. Hosts outside of any unit take none. How units are chosen:
// spread_search.h.
//
// Rules for kube-scheduler (SpreadBy) are "at most" as well, and placements that keep that are
// right whatever else the rule says. Where nothing keeps it, the rule may still allow more:
//
//     apart     on hosts that lack the label any number
//     skew k    k + m members where each domain has m; so exact only where a domain must stay empty
//
// In such cases it is left to kube-scheduler's plugin, as it is where the label is no level.
#ifndef PHALANX_CORE_PLACE_SPREAD_H_
#define PHALANX_CORE_PLACE_SPREAD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/host_table.h"
#include "core/place/placement.h"
#include "core/place/vertices.h"
#include "phalanx/ids.h"

namespace phalanx {

struct SpreadRule {
  LevelId level;  // None: no rule
  int32_t at_most = kMaxGangSize;
  int32_t at_least = 1;
  bool evenly = false;
  // A rule for kube-scheduler that would allow more if other domains had members.
  bool may_ease = false;

  bool Any() const { return level.valid(); }
};

// None for a shape without one. Of members that join a gang which runs only "at most" counts. A
// rule for kube-scheduler is there only if it is followed, for which its members are placed in the
// domains of `required`: O(hosts + domains).
// REQUIRES: SpreadRefused() has nothing to say.
SpreadRule SpreadRuleOf(const Cluster& cluster, const PlacementRequest& request,
                        const RoleRequest& role, LevelId required);

// That no node has the level of the rule, or that it crosses the tree; nullopt: neither, or there
// is no rule.
std::optional<Reason> SpreadRefused(const Cluster& cluster, const PlacementRequest& request,
                                    const RoleRequest& role);

// Slots of hosts in units, none elsewhere, where each unit takes at most `rule.at_most` members,
// request.placed among them, and none if it has too few slots for `rule.at_least`.
// O(hosts + domains + units x request.placed).
SlotTree CutToSpread(const Cluster& cluster, const PlacementRequest& request, ShapeId shape,
                     const SpreadRule& rule, const SlotTree& free);

// The units below `domain` with slots, most slots first; the domain itself, if it lies in a unit.
std::vector<Vertex> UnitsBelow(const Topology& topology, const Vertex& domain, LevelId level,
                               const SlotTree& cut);

// Of `units` as UnitsBelow() gives them: how many members, up to `upto`, find a place with at least
// so many in each unit that is used. Any number of units that is used has the most slots if it is
// the first ones, so these are all there is to look at.
int64_t MostInUnits(const std::vector<Vertex>& units, const SlotTree& cut, int32_t at_least,
                    int64_t upto);

// The same in the best domain of the scope; `cut` as CutToSpread() gives it.
int64_t MostUnderSpread(const Topology& topology, const RequiredScope& scope,
                        const SpreadRule& rule, const SlotTree& cut, int64_t upto);

// Why the members find no place. `free`: their slots without the rule.
Reason ExplainSpread(const Cluster& cluster, const PlacementRequest& request,
                     const RoleRequest& role, LevelId required, const SpreadRule& rule,
                     const SlotTree& free);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SPREAD_H_

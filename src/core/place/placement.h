// The placement search: where do the members of one gang go, all of them or none?
//
//     Request (roles = shape x count, levels)  ──┐
//                                                ├──► Place() ──► Fits{one host per member}
//     Cluster (topology, free room per host)  ───┘             or Refused{Reason}
//
// Objective, lexicographic, smaller is better:
//   1. the required level: all members in one domain of it;
//   2. the preferred level: all members in one domain of it, else of the finest coarser level;
//   3. segments: each segment of a role in one domain of its required level; of its preferred one,
//      else of the finest coarser level at which all segments of the role can be whole;
//   4. domains touched, coarse levels first (this subsumes 2: whatever spreads less at a coarse
//      level is better; a level that no node has is no preference);
//   5. overrun of uplinks (link_search.h); 6. fragmentation (vertex_costs.h) of equal members;
//   7. depth-first position: at each domain, from the top, the first child takes as many members as
//      it can, then the second, ...
// A host or domain that lacks a level counts there as a domain of its own: nothing is known to be
// near it. For equal members the answer is exact (`proven` says through which term: kCounts for the
// domains, kAll for hosts and position as well), and so is a refusal. The same holds for a large
// role beside a few members of others (roles.h); other mixes are placed greedily, and what is
// refused for want of a better search is marked ProvenThrough::kNothing.
//
// Reads only; the caller books the answer. Determined by its arguments: the order of nodes and
// members does not matter. Cost is counted in work units (table cells and hosts looked at).
#ifndef PHALANX_CORE_PLACE_PLACEMENT_H_
#define PHALANX_CORE_PLACE_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/host_range.h"
#include "phalanx/ids.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct RoleRequest {
  ShapeId shape;
  int32_t count = 0;
};

// Hosts that are left out for a shape because the scheduler refused them lately.
struct HostExclusion {
  ShapeId shape;
  NodeId node;
  std::string plugin;
};

// Members of the gang that take room already, beside those that are asked for.
struct PlacedMembers {
  ShapeId shape;
  NodeId node;
  int32_t count = 0;

  friend auto operator<=>(const PlacedMembers&, const PlacedMembers&) = default;
};

// Hosts that the gang may not use, since it, or another one that is there, shares no domain of a
// level.
struct ClosedHosts {
  HostRange hosts;
  std::string level;
  bool lacking = false;  // they have no domain of the level, so nobody can say who shares it

  friend auto operator<=>(const ClosedHosts&, const ClosedHosts&) = default;
};

// Rules of the members that are not followed: what if they were not there?
struct Waived {
  bool segments = false;
  bool spread = false;
};

class Fragmentation;

struct PlacementRequest {
  std::vector<RoleRequest> roles;  // distinct shapes
  std::string required_level;      // name or label key; empty: none
  std::string preferred_level;
  std::vector<HostExclusion> exclusions;
  // Only these hosts, ascending and apart; empty: all. A member that rejoins stays in its gang's
  // required domain, which is several ranges where the level crosses the tree (crossing.h).
  std::vector<HostRange> within;
  // Members that join a gang which runs are not whole segments.
  bool joining = false;
  std::vector<PlacedMembers> placed;  // of shapes with a spread or traffic
  std::string exclusive_level;        // of which no domain is shared; empty: none
  std::vector<ClosedHosts> closed;    // in ascending order
  Waived waived;
  // Each stage of the exact search for one role ends above so many cells (about two nanoseconds
  // each), and the answer says how far it came.
  int64_t max_cells = int64_t{1} << 25;
  // Of what waits and comes, to leave room for it; null: nothing. What it keeps may change.
  Fragmentation* fragmentation = nullptr;
};

struct SlotsOnHost {
  HostId host;
  ShapeId shape;
  int32_t count = 0;
};

struct Placement {
  std::vector<SlotsOnHost> slots;  // by host, then by role order of the request
  DomainId common;                 // the finest domain that contains all
  std::vector<int32_t> touched;    // by level, coarsest first, hosts last; see above for gaps
  ProvenThrough proven = ProvenThrough::kFeasibility;
};

struct PlacementAnswer {
  std::variant<Placement, Reason> result;
  ShapeId refused;  // the shape that a refusal is about; None for kLevelUnknown and kNone
  int64_t work_units = 0;

  const Placement* placement() const { return std::get_if<Placement>(&result); }
  const Reason* refusal() const { return std::get_if<Reason>(&result); }
};

// REQUIRES: cluster.RefreshTopology() since the last change of a node; counts are not negative.
//
// Refusals (Reason), `have` of `need` members of one shape (but for kSharedResource), and the
// causes why nodes are out:
//   kLevelUnknown   no node has the required level, of the gang or of segments (never);
//   kInvalid        the segment size does not divide the members of a role (never);
//   kSpread         enough members fit, but not in numbers as `detail` says in the domains of
//                   `level`;
//   kSharedResource a resource that all nodes share: `have` of it is free, of `need` in all (never,
//                   if it has less in all, or -1: nobody declares it);
//   kUplink         they fit, but the uplink of `domain` has `have` of the `need` MB/s left;
//   kNoSuchNode     no node, even empty and healthy, takes a member (never);
//   kCapacity       the free quantities do not add up; subject = the scarcest resource,
//                   detail = its "FREE of NEEDED" on the nodes that are not
//                   filtered out;
//   kFragmentation  they add up, but not to enough members;
//   kTopology       enough members fit, but not in one domain of the required level; with `detail`:
//                   not in whole segments of so many, each in one domain of `level`.
// `never` is set where it would not fit an empty, healthy cluster either.
PlacementAnswer Place(const Cluster& cluster, const PlacementRequest& request);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_PLACEMENT_H_

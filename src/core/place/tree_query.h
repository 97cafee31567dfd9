// What the search for equal members is asked, and the tree as it sees it.
#ifndef PHALANX_CORE_PLACE_TREE_QUERY_H_
#define PHALANX_CORE_PLACE_TREE_QUERY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster/host_table.h"
#include "core/cluster/topology.h"
#include "core/place/host_group.h"
#include "core/place/key.h"
#include "core/place/vertices.h"
#include "phalanx/ids.h"

namespace phalanx {

// Vertices that the gang touches already, through a role that was placed before: free of charge.
struct TouchedBefore {
  std::vector<char> domains;  // by id; empty: none
  std::vector<char> hosts;

  bool Any() const { return !domains.empty(); }
  bool Domain(DomainId id) const { return Any() && domains[id.index()] != 0; }
  bool Host(HostId id) const { return Any() && hosts[id.index()] != 0; }
};

struct TreeQuery {
  const Topology& topology;
  const SlotTree& slots;
  int32_t members;
  const TouchedBefore& touched;
  // Members come in segments of `segment` that each lie in one domain of `segment_level`: the slots
  // of such a domain and of coarser ones are whole segments (segments.h). 1, or no level: none.
  int32_t segment = 1;
  LevelId segment_level = LevelId::None();

  // -1 for the root.
  int LevelOf(DomainId id) const {
    const LevelId level = topology.domain(id).level;
    return level.valid() ? static_cast<int>(level.value()) : -1;
  }
  // Whether a domain is coarser than the segment level: it is split segment by segment.
  bool HoldsSegments(DomainId id) const {
    return segment > 1 && segment_level.valid() &&
           LevelOf(id) < static_cast<int>(segment_level.value());
  }
};

// First id after the subtree of `root`. O(log domains).
uint32_t SubtreeEnd(const Topology& topology, DomainId root);

// The hosts with slots directly below a domain.
std::vector<HostSlots> DirectHosts(const Topology& topology, const SlotTree& slots, DomainId id);

// What can be counted below a vertex: by level, hosts last, the slots of each vertex that counts
// there as one touched domain. A vertex counts at its own level and at each coarser one that it
// lacks.
class Census {
 public:
  // O(hosts + domains below `root`).
  Census(const TreeQuery& query, DomainId root);

  const std::vector<std::vector<int64_t>>& slots() const { return slots_; }
  // The largest count per level that a placement of the members can have. 0 where it need not be
  // counted: levels that have the count of the next coarser one in every placement, and the hosts
  // if not `with_hosts`.
  std::vector<int64_t> Most(bool with_hosts) const;
  // How many vertices of a level have room for all members together, the largest first.
  // REQUIRES: there is room below the root.
  int64_t Fewest(size_t level) const;
  // No host takes more than one member: there are as many hosts as members, wherever they go.
  bool OneMemberPerHost() const { return one_per_host_; }

 private:
  void Add(int parent_level, size_t level, int64_t slots);

  const int64_t members_;
  const bool touched_before_;
  std::vector<std::vector<int64_t>> slots_;
  bool one_per_host_ = true;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_TREE_QUERY_H_

// Segments: members of a role in groups of n consecutive ranks, each group in one domain of a
// level (tensor-parallel ranks in one NVLink domain, say).
//
// A domain of the level takes whole segments only, and so do the coarser ones:
//
//     free hosts     leaf: 11 ── nvlink 5, nvlink 6            whole members
//     segments of 4  leaf:  8 ── nvlink 4, nvlink 4            what they are worth
//
// Hosts that lack the level take none.
#ifndef PHALANX_CORE_PLACE_SEGMENTS_H_
#define PHALANX_CORE_PLACE_SEGMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/host_table.h"
#include "core/place/placement.h"
#include "core/place/vertices.h"
#include "phalanx/ids.h"
#include "phalanx/verdict.h"

namespace phalanx {

// Slots in whole segments: sums of `level` and coarser levels are the members of whole segments. At
// the host level each host's own slots are; for a level of None nothing changes.
// O(hosts + domains).
SlotTree InSegments(const Topology& topology, const SlotTree& free, LevelId level, int32_t size);

// What the segments of a role mean in a topology.
struct SegmentRule {
  int32_t size = 1;
  // Levels that will do, best first: from the preferred one to the next coarser ones and down to
  // the required one; at the end None, if none is required. A preferred level that no node has, or
  // that is coarser than the required one, is none.
  std::vector<LevelId> levels = {LevelId::None()};

  bool Whole() const { return size > 1; }
  LevelId Required() const { return levels.back(); }
};

SegmentRule RuleOf(const Cluster& cluster, const PlacementRequest& request, ShapeId shape);

// Why no placement can follow the role's segments, whatever is free: an unknown level, or members
// that the size does not divide. nullopt: nothing of that kind.
std::optional<Reason> SegmentsRefused(const Cluster& cluster, const PlacementRequest& request,
                                      const RoleRequest& role);

// The slots of a role as its best level makes them at which some domain of the scope has room for
// all `members`; as the required level makes them, if none has.
struct SegmentedSlots {
  LevelId level;
  SlotTree slots;
};
SegmentedSlots BestSegments(const Topology& topology, const SegmentRule& rule,
                            const RequiredScope& scope, const SlotTree& free, int32_t members);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_SEGMENTS_H_

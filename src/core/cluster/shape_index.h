// What every host takes of a shape, kept for the shapes in use.
//
// Two tables per shape, each brought up to date when it is asked for, by the nodes that changed
// since: a booking costs one entry in a log, and shapes that nobody asks for cost nothing.
//
//     slots   how many members each host takes now, with sums per domain    (every placement)
//     blame   why the others take none, and what could ever be              (refusals only)
//
// Equal to a recomputation at any time. Derived state: of a copy of the cluster it is a copy.
//
// Memory: 4 bytes per host for slots, 8 + 8 per requested resource for blame, and about 100 bytes
// per domain; 4 MB for a shape of three resources that was refused on 100,000 hosts. Shapes are
// dropped least recently used first above kHostsOfAllShapes / hosts of them (at least 16, at most
// 256): 64 MB on 100,000 hosts, 50 MB on 5,000.
//
// Cost: a table that is new, or too far behind, O(hosts x (resources + filters)); else O(changes x
// (resources + filters + levels)).
#ifndef PHALANX_CORE_CLUSTER_SHAPE_INDEX_H_
#define PHALANX_CORE_CLUSTER_SHAPE_INDEX_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "core/cluster/host_table.h"
#include "phalanx/ids.h"
#include "phalanx/verdict.h"

namespace phalanx {

class Cluster;

// Why a host takes no member of a shape: cause and its detail.
struct HostOut {
  ExclusionCause cause;
  std::string detail;

  friend auto operator<=>(const HostOut&, const HostOut&) = default;
};

// Whether the host is out for want of room; it would take members otherwise.
inline bool IsResourceCause(ExclusionCause cause) {
  return cause == ExclusionCause::kResourceAbsent || cause == ExclusionCause::kResourceInUse;
}

struct BlameTable {
  SlotTree ever;                // slots of an empty, healthy host
  std::vector<uint32_t> cause;  // by host: index into causes; kTakes if it takes a member now
  std::vector<HostOut> causes;  // [kTakes] means nothing
  // By entry of the shape's request: what is free on hosts that are not filtered out.
  std::vector<QuantityTree> free;

  static constexpr uint32_t kTakes = 0;
};

class ShapeIndex {
 public:
  // References are valid until the index is asked for another shape or the cluster changes.
  // REQUIRES: the topology of the cluster is up to date.
  const SlotTree& Slots(const Cluster& cluster, ShapeId shape);
  const BlameTable& Blame(const Cluster& cluster, ShapeId shape);

  // Whether the slots of the shape that was asked for last equal a recomputation. O(hosts).
  // REQUIRES: the topology of the cluster is up to date.
  bool CheckLatest(const Cluster& cluster);

  // Shapes that are kept.
  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kHostsOfAllShapes = 1'600'000;

  // How far a table has followed the cluster.
  struct Position {
    uint64_t generation = 0;  // of the topology; 0: the table was never made
    uint64_t read = 0;        // in the change log
  };
  struct Entry {
    ShapeId shape;
    Position slots_at;
    SlotTree slots;
    Position blame_at;
    BlameTable blame;
    std::map<HostOut, uint32_t> cause_ids;
  };
  class Blamer;

  Entry& Find(const Cluster& cluster, ShapeId shape);

  std::list<Entry> entries_;  // most recently used first
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_SHAPE_INDEX_H_

// A level whose domains cross the tree: sets of hosts that are no single range.
//
// Where two groupings of the same hosts do not nest (NVLink racks and the rails of a fabric), no
// tree can hold both. Such a level is cut by path in the tree, which orders the hosts and says what
// a placement touches; its true domains are kept here, for gangs that must lie in one of them:
//
//     rack a ── leaf l1 ── a0 a1        level leaf, which crosses rack:
//         │     leaf l2 ── a2 a3            l1 = {a0 a1 b0 b1}
//     rack b ── leaf l1 ── b0 b1            l2 = {a2 a3 b2 b3}
//               leaf l2 ── b2 b3
//
// A level that is said to cross, and nests all the same, is a level of the tree like any other.
#ifndef PHALANX_CORE_CLUSTER_CROSSING_H_
#define PHALANX_CORE_CLUSTER_CROSSING_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/cluster/host_range.h"
#include "phalanx/ids.h"

namespace phalanx {

struct Crossing {
  struct Domain {
    std::string path;              // without the levels that it crosses
    std::vector<HostRange> hosts;  // ascending, as few ranges as there can be
  };
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  LevelId level;
  std::vector<Domain> domains;      // by the values of their path
  std::vector<uint32_t> domain_of;  // by host; kNone: it lacks the level
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_CROSSING_H_

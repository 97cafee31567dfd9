// The status of ClusterTopology objects: whether what is declared was followed, and whether gangs
// are placed by it. Topologies of other programs are not ours to write on.
//
// As with Gang objects, what is kept is that something is due; what it says is made when its turn
// comes, and sent if it differs from the last one that was applied. All writes draw on the one
// budget, and come before those of gangs: there is one object in a cluster.
#ifndef PHALANX_CORE_ENGINE_TOPOLOGY_STATUS_H_
#define PHALANX_CORE_ENGINE_TOPOLOGY_STATUS_H_

#include <cstdint>
#include <map>

#include "core/engine/board.h"
#include "phalanx/command.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"

namespace phalanx {

struct State;

// One object that has a status of ours.
struct TopologyShown {
  uint64_t said = 0;         // hash of the status that was written last; 0: none, or nobody knows
  uint64_t saying = 0;       // of the one under way
  uint64_t in_flight = 0;    // number of the write under way; 0: none
  Time due = Time::Never();  // to be looked at; Never: nothing has changed
  int32_t failures = 0;
  uint64_t nodes_seen = 0;  // Cluster::topology_changes() when it was looked at last
  Truth accepted, in_force;
};

using TopologyShownTable = std::map<ObjectKey, TopologyShown>;

// The objects changed: each that is there is looked at soon. O(objects).
void ShowTopologiesLater(State& state);
// How a write ended; false if it was none of these.
bool NoteTopologyWritten(State& state, const DirectiveResult& result);
// Writes what is due and the budget allows. O(1) but when an object is due: O(nodes).
void WriteTopologies(State& state);
// When that wants to be called again.
Time NextTopologyWrite(const State& state);
// A new epoch: nobody will tell how the writes under way ended, or what is written.
void ForgetTopologyWrites(State& state);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_TOPOLOGY_STATUS_H_

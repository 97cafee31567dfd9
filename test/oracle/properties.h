// What must hold in any world, whatever the best placement is. Each function looks at one world and
// stops at a difference, which is a fatal failure of the running test.
#ifndef PHALANX_TEST_ORACLE_PROPERTIES_H_
#define PHALANX_TEST_ORACLE_PROPERTIES_H_

#include <cstdint>

#include "oracle/random_worlds.h"
#include "oracle/small_world.h"

namespace phalanx::oracle {

// How often a property had something to say, for whoever reads the log.
struct Seen {
  int64_t worlds = 0;
  int64_t fits = 0;     // before a change, if there is one
  int64_t refused = 0;  // the same

  void Count(const Searched& searched);
  void Print(const char* what) const;
};

// A world with a gang of one role or two, in segments or not.
SmallWorld RandomGang(Random& random, int64_t most_hosts);

// Nodes, pods and roles in another order: the same members on the same hosts, or the same refusal,
// proven equally far.
void ExpectOrderChangesNothing(const SmallWorld& world, Random& random, Seen& seen);

// A host more: what is proven to fit fits and, without segments, touches no more; what is not
// proven is not refused with a proof.
void ExpectAFreeHostKeepsAFit(const SmallWorld& world, Random& random, Seen& seen);

// A copy of the cluster is changed at will and asked: it says what a cluster would that was built
// so, and the hash of the engine's state, its slots and its answer are what they were.
void ExpectAWhatIfLeavesNoTrace(const SmallWorld& world, Random& random, Seen& seen);

using Property = void (*)(const SmallWorld& world, Random& random, Seen& seen);

// The property in so many worlds. Stops at the first failure.
Seen CheckProperty(uint64_t seed, int worlds, int64_t most_hosts, Property property);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_PROPERTIES_H_

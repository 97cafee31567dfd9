// Random small worlds with gaps in their labels and sick nodes, and gangs for them.
#ifndef PHALANX_TEST_ORACLE_RANDOM_WORLDS_H_
#define PHALANX_TEST_ORACLE_RANDOM_WORLDS_H_

#include <cstdint>
#include <random>

#include "oracle/small_world.h"

namespace phalanx::oracle {

using Random = std::mt19937_64;

int64_t Between(Random& random, int64_t low, int64_t high);
bool Chance(Random& random, int percent);

// Labels of a host under zone, leaf and rack.
LabelMap RandomLabels(Random& random);

// 1 .. most hosts under zone, leaf and rack, and a required level; no roles.
SmallWorld RandomHosts(Random& random, int64_t most);

// The same with a leaf of the fabric and an NVLink domain, which need not nest: two trees over the
// same hosts. The levels are the one tree that they are cut into, as the judge reads it.
SmallWorld RandomTwoTrees(Random& random, int64_t most);

// `most`: of its members.
Role RandomRole(Random& random, int32_t most);
// Without "evenly".
Spread RandomSpread(Random& random, const SmallWorld& world);
Segment RandomSegment(Random& random, const SmallWorld& world);

// Gives the world two roles of different shapes, of up to so many members. With `segments` some of
// them are in segments.
void AddTwoRoles(Random& random, int32_t most, bool segments, SmallWorld& world);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_RANDOM_WORLDS_H_

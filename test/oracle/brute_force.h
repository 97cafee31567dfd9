// All ways to place a gang, tried one by one. Reads a SmallWorld only; shares nothing with the
// search.
#ifndef PHALANX_TEST_ORACLE_BRUTE_FORCE_H_
#define PHALANX_TEST_ORACLE_BRUTE_FORCE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/small_world.h"

namespace phalanx::oracle {

struct BestPlacement {
  std::vector<int32_t> touched;  // by level that some node has, hosts last
  // By host name, of each role in the order of the world.
  std::map<std::string, std::vector<int32_t>> members;
};

// The best placement of a gang with one role; nullopt if there is none.
std::optional<BestPlacement> BruteForceOneRole(const SmallWorld& world);

// "Evenly" is not looked at by either.
//
// The best placement of all roles; nullopt if there is none. Segments are whole in domains of their
// required levels. Their preferred levels are not looked at, but for `preferring`, a role of the
// world: it gets the best of its levels that works. On ties the first child takes as many
// members as it can of the role with the most members, then of the others in order.
std::optional<BestPlacement> BruteForceRoles(const SmallWorld& world,
                                             std::optional<size_t> preferring = std::nullopt);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_BRUTE_FORCE_H_

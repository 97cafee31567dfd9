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
  std::vector<int32_t> touched;            // by level that some node has, hosts last
  std::map<std::string, int32_t> members;  // by host name, of a gang with one role
};

// The best placement of a gang with one role; nullopt if there is none.
std::optional<BestPlacement> BruteForceOneRole(const SmallWorld& world);

// The least that a placement of all roles touches, as above; nullopt if there is none.
std::optional<std::vector<int32_t>> BruteForceRoles(const SmallWorld& world);

// Domains touched by hosts, by level that some node has, hosts last.
std::vector<int32_t> Touched(const SmallWorld& world, const std::vector<std::string>& hosts);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_BRUTE_FORCE_H_

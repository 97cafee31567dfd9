// Small worlds whose uplinks carry a declared bandwidth, with gangs that say what they send, and
// all ways to place one more gang there, tried one by one. Reads the world only; shares nothing
// with the search.
#ifndef PHALANX_TEST_ORACLE_LINK_WORLDS_H_
#define PHALANX_TEST_ORACLE_LINK_WORLDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/random_worlds.h"
#include "oracle/small_world.h"

namespace phalanx::oracle {

// A member that has a place; it takes no room.
struct Neighbour {
  std::string node;
  int gang = 0;     // 0: the one that is placed
  size_t role = 0;  // of gang 0
  Traffic traffic;  // of others
};

struct LinkWorld {
  SmallWorld world;
  std::vector<Traffic> traffic;           // by role
  std::map<std::string, Uplink> uplinks;  // by level
  std::vector<Neighbour> neighbours;

  std::string Describe() const;
};

// Hosts under zone, leaf and rack; one role, or two. Some with members of the gang that run
// already.
LinkWorld RandomLinkWorld(Random& random, int roles);

Searched SearchLinks(const LinkWorld& world);
std::vector<std::string> JudgeLinks(const LinkWorld& world, const Searched& searched);

// What is above the limits, more than before; nullopt: a hard one would be exceeded further.
// `counts`: by role, by host in order.
std::optional<int64_t> OverLimits(const LinkWorld& world,
                                  const std::vector<std::vector<int32_t>>& counts);

struct BestOnLinks {
  std::vector<int32_t> touched;
  int64_t over = 0;
  std::map<std::string, std::vector<int32_t>> members;
};
// By what is touched, then by what is over, then by position. nullopt: there is none. Without
// `limits`, hard ones do not matter, and `over` is not looked at.
std::optional<BestOnLinks> BruteForceLinks(const LinkWorld& world, bool limits = true);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_LINK_WORLDS_H_

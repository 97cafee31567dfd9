// Hosts of a small world as the specification sees them, and what a placement touches. Reads a
// SmallWorld only; shares nothing with the search.
#ifndef PHALANX_TEST_ORACLE_HOSTS_H_
#define PHALANX_TEST_ORACLE_HOSTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/small_world.h"

namespace phalanx::oracle {

struct Host {
  std::string name;
  std::vector<std::string> values;  // by level of the world; "" = lacks the level
  QuantityMap free;
  const NodeObject* node;
};

// Depth first: by values, coarse first, missing ones last; then by name.
std::vector<Host> HostsInOrder(const SmallWorld& world);

// Books a member, if the host admits it and has room.
bool Takes(Host& host, const Role& role);
void GiveBack(Host& host, const Role& role);

bool LevelExists(const std::vector<Host>& hosts, size_t level);

// The domains of a level, as indexes of their hosts: of "host" each host, of "" all together. Hosts
// that lack the level are in none.
std::vector<std::vector<size_t>> DomainsOf(const SmallWorld& world, const std::vector<Host>& hosts,
                                           const std::string& level);
// The same as the tree has them, where segments are kept whole: a level that crosses others is cut.
std::vector<std::vector<size_t>> PartsOf(const SmallWorld& world, const std::vector<Host>& hosts,
                                         const std::string& level);

// Whether each domain takes whole segments, and nothing is outside of them.
bool InWholeSegments(const std::vector<std::vector<size_t>>& domains,
                     const std::vector<int32_t>& counts, int32_t size);

// Whether each domain has no more and, if any, no fewer than it may, and nothing is outside of
// them.
bool KeepsSpread(const std::vector<std::vector<size_t>>& domains,
                 const std::vector<int32_t>& counts, const Spread& spread);

// Domains touched by level that some host has, hosts last. `counts` by host.
std::vector<int32_t> TouchedBy(const std::vector<Host>& hosts, const std::vector<int32_t>& counts);

// Of two placements that touch alike: from the top of the tree down, the first child that gets more
// in one of them makes that one the better; more of the first role, else of the second, and so on.
using RoleCounts = std::vector<std::vector<int32_t>>;  // by role, by host
bool FirstIsBetter(const std::vector<Host>& hosts, const RoleCounts& a, const RoleCounts& b);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_HOSTS_H_

// Gangs of one group, which want to be in one domain of a level.
//
// The domain is the one where members of the group take room already. If there are none it is
// chosen for all gangs of the group that wait complete, one placed after the other, the largest
// first: the domain in which they touch the fewest domains of each level in sum, coarse levels
// first, the first on a tie.
#ifndef PHALANX_CORE_ENGINE_GROUP_H_
#define PHALANX_CORE_ENGINE_GROUP_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/engine/state.h"
#include "core/place/placement.h"

namespace phalanx {

// The other gangs of the group, by key. O(gangs of the namespace).
std::vector<GangId> PeersOf(const State& state, const Gang& gang);

struct GroupPlace {
  std::vector<HostRange> within;  // empty: anywhere
  Reason refusal;                 // kNone, or why no domain will do
  int64_t work_units = 0;
};

// What the search is to be asked about the fewest members of a gang that may start.
using RequestMaker = std::function<PlacementRequest(const State&, Gang&)>;

// REQUIRES: gang.terms.group has a name; nothing of the gang is bound. What is tried is put back.
GroupPlace PlaceForGroup(State& state, Gang& gang, const RequestMaker& request_of);

// The domain that members that join have to be in, for the group's sake; empty: any.
std::vector<HostRange> GroupHosts(const State& state, const Gang& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_GROUP_H_

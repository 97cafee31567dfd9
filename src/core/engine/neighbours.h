// What other gangs, and members that are placed already, mean for where a gang may go.
#ifndef PHALANX_CORE_ENGINE_NEIGHBOURS_H_
#define PHALANX_CORE_ENGINE_NEIGHBOURS_H_

#include <vector>

#include "core/engine/state.h"
#include "core/place/placement.h"

namespace phalanx {

// The hosts of the domain of `level` that `host` is in; empty: it is in none.
std::vector<HostRange> DomainAround(const Topology& topology, HostId host, LevelId level);

// The level of which all members share a domain: what the terms say, or the finer one of that and
// of the required affinity that all members have to each other, if its key is a level. Levels that
// do not nest are not joined: the affinity is left to kube-scheduler. Empty: none.
const std::string& RequiredLevel(const State& state, const Gang& gang);

// Whether the gang takes room and shares no domain of some level.
bool IsExclusive(const Gang& gang);
// Keeps State::exclusive; after each change of the gang's members or terms. Its domains are free
// for others once it is not exclusive any more.
void NoteExclusive(State& state, GangId id);

// Closes to a gang the domains of gangs that share none, and those that it would share itself.
// O(members of exclusive gangs x levels); of a gang that shares none itself: O(pods + hosts).
// REQUIRES: the topology is up to date.
void CloseHosts(const State& state, const Gang& gang, PlacementRequest& request);

// Where other members of the gang, of shapes of the request with a spread, take room already.
void AddPlaced(const State& state, const Gang& gang, PlacementRequest& request);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_NEIGHBOURS_H_

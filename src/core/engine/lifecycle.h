// What befalls a plan and its members: steps, losses, withdrawal, failure.
#ifndef PHALANX_CORE_ENGINE_LIFECYCLE_H_
#define PHALANX_CORE_ENGINE_LIFECYCLE_H_

#include <cstdint>
#include <string>

#include "core/engine/gang.h"
#include "core/engine/state.h"
#include "phalanx/ids.h"

namespace phalanx {

// Whether the pod is bound to a node that is not there. Before SyncDone nobody can tell: false.
bool OnMissingNode(const State& state, const Pod& pod);

// Nodes came or went: members that are bound to one are lost, or found again. O(pods).
void FindLostMembers(State& state);

// Puts the member at `stage` and refreshes its roster entry.
void SetStage(State& state, Gang& gang, Member& member, Stage stage);

// The pod of the member is on `node`. Members bound by their plan step it forward; a member that
// somebody else bound before both barriers opened is adopted, and the plan of the others withdrawn.
void MemberBound(State& state, Gang& gang, Member& member, const std::string& node);

// The member left the pipeline: its room is free and it may be planned again.
void MemberReturned(State& state, Gang& gang, Member& member);

// The member can't be bound any more by its plan (deleted, ended, moved to another gang, returned).
// Before both barriers opened the plan is withdrawn; after, it goes on without the member.
void MemberLost(State& state, Gang& gang, Member& member, const std::string& why);

// How long a gang waits after a start that failed; each doubles with every such start in a row.
enum class Setback {
  kNone,     // not at all: it is planned at once, where it was not refused
  kPassing,  // from 1 s up to EngineConfig::backoff_first: the world changed, or members came back
  kSerious,  // from backoff_first up to backoff_last: it was refused, or not in time
};

// REQUIRES: a plan. Sends Reject; its unbound members are returning, their room stays held. With a
// passing setback `why` becomes Gang::failure; otherwise that is the caller's.
void WithdrawPlan(State& state, Gang& gang, const std::string& why,
                  Setback setback = Setback::kPassing);

// The start failed: counts it, and lets the gang wait.
void BackOff(State& state, Gang& gang, Setback setback);

// The plan is over in any way: its members do not count as reserving any more.
void StopReserving(State& state, const Plan& plan);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_LIFECYCLE_H_

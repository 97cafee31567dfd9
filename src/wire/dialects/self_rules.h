// What the rules of a pod about pods like itself mean for its gang. They are written for
// kube-scheduler, which looks at one pod after the other:
//
//   required anti-affinity     at most one member in a domain of the key
//   required affinity          one domain of the key, if all members of the gang say so
//   spread, DoNotSchedule      at most maxSkew in a domain: right whatever the others hold
//
// One rule of the first and third kind is read, anti-affinity before spread, and none where our own
// annotations say how members are spread, or set segments: those are stricter or about something
// else, and kube-scheduler sees to the rest. Whether a rule can be followed is for the search to
// say, which knows the topology.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_DIALECTS_SELF_RULES_H_
#define PHALANX_WIRE_DIALECTS_SELF_RULES_H_

#include <span>

#include "phalanx/objects.h"

namespace phalanx::wire {

// REQUIRES: everything else of `out` is read.
void ReadSelfRules(std::span<const SelfRule> rules, Membership& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_SELF_RULES_H_

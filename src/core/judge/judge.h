// The judge: is this placement right? Written from the specification and not from the search: it
// shares no code with core/place.
#ifndef PHALANX_CORE_JUDGE_JUDGE_H_
#define PHALANX_CORE_JUDGE_JUDGE_H_

#include <map>
#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::judge {

// One member with the node that was chosen for it.
struct Assignment {
  PodObject pod;
  std::string node;
  int32_t rank = -1;  // -1: not known
};

// A pod that already takes room: bound by any scheduler, or held for another gang.
struct Occupant {
  std::string node;
  QuantityMap requests;
};

struct World {
  std::vector<NodeObject> nodes;
  std::vector<Occupant> occupants;
  LabelMap node_scope;
  std::vector<DeclaredTopology> topologies;  // TopologiesOf() the cluster's objects
};

// What objects declare about the topology, by their keys.
std::vector<DeclaredTopology> TopologiesOf(const std::map<ObjectKey, ApiObject>& objects);

// What is wrong with placing `gang` at once, in words; empty is right. Checks: every member has a
// node that exists, is ready, schedulable, in scope, tolerated and selected; no resource of any
// node is overcommitted, nor any that all nodes share; the required level is honoured.
std::vector<std::string> CheckPlacement(const World& world, const std::vector<Assignment>& gang);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_JUDGE_H_

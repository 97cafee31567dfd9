// Vertices of the tree that can hold a whole gang, finest level first.
#ifndef PHALANX_CORE_PLACE_VERTICES_H_
#define PHALANX_CORE_PLACE_VERTICES_H_

#include <string>
#include <vector>

#include "core/cluster/topology.h"
#include "core/place/slot_tree.h"
#include "phalanx/ids.h"

namespace phalanx {

// A domain or a host; exactly one of them is valid.
struct Vertex {
  DomainId domain;
  HostId host;

  int64_t Slots(const Topology& topology, const SlotTree& slots) const {
    return host.valid() ? slots.At(host) : slots.Sum(topology.domain(domain));
  }
  // "zone-a/rack-1", or with the host's name.
  std::string Path(const Topology& topology) const;
};

// The part of the tree below the domains of a required level. A level of None stands for the root.
class RequiredScope {
 public:
  // `required`: a level of the topology, its host level, or None for no requirement.
  RequiredScope(const Topology& topology, LevelId required)
      : topology_(topology), required_(required) {}

  // The host level, then the levels from fine to coarse down to the required one, or to the root.
  std::vector<LevelId> FinestFirst() const;
  // The vertices of a level that lie in one domain of the required level, depth first.
  std::vector<Vertex> At(LevelId level) const;
  // The domains of the required level themselves.
  std::vector<Vertex> Domains() const { return At(required_); }
  bool Holds(HostId host) const;

 private:
  bool Holds(DomainId domain) const;

  const Topology& topology_;
  const LevelId required_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_VERTICES_H_

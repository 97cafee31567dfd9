// Vertices of the tree that can hold a whole gang, finest level first.
#ifndef PHALANX_CORE_PLACE_VERTICES_H_
#define PHALANX_CORE_PLACE_VERTICES_H_

#include <string>
#include <vector>

#include "core/cluster/host_table.h"
#include "core/cluster/topology.h"
#include "core/place/placement.h"
#include "phalanx/ids.h"

namespace phalanx {

// A domain or a host; at most one of them is valid.
struct Vertex {
  DomainId domain;
  HostId host;

  bool IsValid() const { return domain.valid() || host.valid(); }
  int64_t Slots(const SlotTree& slots) const {
    return host.valid() ? slots.At(host) : slots.Sum(domain);
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
  // The vertices of a level that lie in one domain of the required level and have at least `slots`
  // slots, depth first. O(vertices of the level).
  std::vector<Vertex> At(LevelId level, const SlotTree& tree, int64_t slots) const;
  // The domains of the required level themselves.
  std::vector<Vertex> Domains(const SlotTree& tree, int64_t slots) const {
    return At(required_, tree, slots);
  }
  // The one of them with the most slots, the first on a tie; invalid if none has any.
  Vertex Best(const SlotTree& tree) const;
  // The hosts below them, as ranges in ascending order.
  std::vector<HostRange> Hosts() const;
  // Sum of a table over these hosts.
  template <class Value, class Total>
  Total Sum(const HostTable<Value, Total>& table) const {
    if (AllHosts()) return table.Sum();
    Total sum{};
    for (const DomainId id : topology_.DomainsAt(required_)) sum += table.Sum(id);
    return sum;
  }

 private:
  // Each host is a domain of the host level, and below the root.
  bool AllHosts() const { return !required_.valid() || required_ == topology_.host_level(); }
  bool Holds(DomainId domain) const;

  const Topology& topology_;
  const LevelId required_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_VERTICES_H_

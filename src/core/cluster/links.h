// What gangs that declare their traffic send over the uplinks of domains.
//
// Kept are the members of each gang by node, as they are booked; what each gang sends follows from
// that, and is worked out anew for gangs whose members changed when someone asks (traffic.h). Equal
// to a recomputation from the bookings at any time. Without declared traffic there is nothing here.
#ifndef PHALANX_CORE_CLUSTER_LINKS_H_
#define PHALANX_CORE_CLUSTER_LINKS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/cluster/shapes.h"
#include "core/cluster/topology.h"
#include "phalanx/ids.h"

namespace phalanx {

// With whom a pod that takes room talks: the members of its gang whose shape says the same. None:
// it declares no traffic.
struct Talk {
  GangId gang;
  ShapeId shape;

  friend auto operator<=>(const Talk&, const Talk&) = default;
};

class LinkUsage {
 public:
  // MB/s over the uplink of each domain, by id.
  using Loads = std::vector<int64_t>;

  void Add(const Talk& talk, NodeId node);
  // REQUIRES: added before.
  void Remove(const Talk& talk, NodeId node);
  bool Any() const { return !gangs_.empty(); }

  // Valid until the next call. O(changed gangs x their nodes x levels); all gangs after a change of
  // the topology.
  const Loads& Of(const Topology& topology, const ShapeTable& shapes) const;
  // The same from nothing. O(gangs x nodes x levels).
  Loads Recompute(const Topology& topology, const ShapeTable& shapes) const;

  friend bool operator==(const LinkUsage& a, const LinkUsage& b) { return a.gangs_ == b.gangs_; }

 private:
  using Members = std::map<std::pair<ShapeId, NodeId>, int32_t>;
  using Sends = std::vector<std::pair<DomainId, int64_t>>;

  static Sends SendsOf(const Members& members, const Topology& topology, const ShapeTable& shapes);

  std::map<GangId, Members> gangs_;
  // --- what follows from it, brought up to date when it is asked for
  mutable uint64_t generation_ = 0;  // of the topology; 0: nothing was worked out
  mutable std::set<GangId> changed_;
  mutable std::map<GangId, Sends> sends_;
  mutable Loads loads_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_LINKS_H_

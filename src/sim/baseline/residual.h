// What is left of a cluster while a rule places one role after the other.
#ifndef PHALANX_SIM_BASELINE_RESIDUAL_H_
#define PHALANX_SIM_BASELINE_RESIDUAL_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/free_slots.h"
#include "core/place/placement.h"

namespace phalanx::sim {

class Residual {
 public:
  // REQUIRES: both outlive this.
  Residual(const Cluster& cluster, const PlacementRequest& request)
      : cluster_(cluster), request_(request) {}

  // Slots of a shape beside what was taken. O(hosts).
  SlotTree Slots(ShapeId shape) const {
    SlotTree slots = FreeSlots(cluster_, request_, shape);
    for (const auto& [host, used] : used_) {
      const NodeId node = cluster_.topology().host(host).node;
      const auto left = static_cast<int32_t>(cluster_.Slots(node, shape, used));
      slots.Set(cluster_.topology(), host, std::min(slots.At(host), left));
    }
    return slots;
  }

  // REQUIRES: at most once per host and shape.
  void Take(HostId host, ShapeId shape, int32_t members) {
    used_[host].Add(cluster_.shapes().Get(shape).request.InWholeDevices(), members);
    taken_.push_back({host, shape, members});
  }

  std::vector<SlotsOnHost> Finish() { return std::move(taken_); }

 private:
  const Cluster& cluster_;
  const PlacementRequest& request_;
  std::map<HostId, Resources> used_;
  std::vector<SlotsOnHost> taken_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BASELINE_RESIDUAL_H_

// A small world for placement tests: hosts under zone, leaf and rack with free GPUs.
//
// Hosts have `free` GPUs of 8 or, when more are given, of as many; what is not free is bound by a
// foreign pod. The levels are read from real labels: zone, Topograph tier-0 (leaf) and the prefix
// of the NVLink clique (rack; its only clique is PREFIX.0, level nvlink).
#ifndef PHALANX_TEST_SUPPORT_PLACE_WORLD_H_
#define PHALANX_TEST_SUPPORT_PLACE_WORLD_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"

namespace phalanx::test {

inline constexpr char kGpu[] = "nvidia.com/gpu";

struct Spot {
  std::string zone;
  std::string leaf;
  std::string rack;
};

inline LabelMap LabelsOf(const Spot& spot) {
  LabelMap labels;
  if (!spot.zone.empty()) labels["topology.kubernetes.io/zone"] = spot.zone;
  if (!spot.leaf.empty()) labels["fabric.topograph.run/tier-0"] = spot.leaf;
  if (!spot.rack.empty()) labels["nvidia.com/gpu.clique"] = spot.rack + ".0";
  return labels;
}

class PlaceWorld {
 public:
  explicit PlaceWorld(LabelMap node_scope = {}) : cluster_(std::move(node_scope)) {}

  NodeObject& AddHost(std::string name, int64_t free_gpus, Spot spot = {}) {
    NodeObject node;
    node.name = name;
    node.uid = "uid-" + name;
    node.labels = LabelsOf(spot);
    node.allocatable = {{kGpu, std::max<int64_t>(free_gpus, 8)}, {"cpu", 96'000}, {"pods", 110}};
    used_.emplace_back(node.name, QuantityMap{{kGpu, node.allocatable[kGpu] - free_gpus}});
    nodes_.push_back(std::move(node));
    return nodes_.back();
  }

  // What a member asks for; filters may be added.
  ShapeId Member(QuantityMap request, Shape shape = {}) {
    request.emplace("pods", 1);
    shape.request = Resources::From(request, cluster_.resources());
    return cluster_.shapes().Intern(std::move(shape));
  }
  ShapeId Gpus(int64_t count) { return Member({{kGpu, count}, {"cpu", 1'000}}); }

  // Brings in the hosts that were added; call again after a change.
  Cluster& cluster() {
    for (const NodeObject& node : nodes_) cluster_.UpsertNode(node);
    for (size_t i = 0; i < used_.size(); ++i) {
      const NodeId node = cluster_.NodeForName(used_[i].first);
      cluster_.ledger().Book(PodId(static_cast<uint32_t>(i)), node, BookingKind::kBound,
                             Resources::From(used_[i].second, cluster_.resources()));
    }
    cluster_.RefreshTopology();
    return cluster_;
  }
  PlacementAnswer Place(PlacementRequest request) { return phalanx::Place(cluster(), request); }
  std::vector<NodeObject>& nodes() { return nodes_; }

  // "a:2 b:1": hosts by depth-first order with their members (of all shapes), or "refused".
  std::string Where(const PlacementAnswer& answer) {
    if (answer.placement() == nullptr) return "refused";
    std::string out;
    const auto& slots = answer.placement()->slots;
    for (size_t i = 0; i < slots.size(); ++i) {
      int32_t count = slots[i].count;
      if (i > 0 && slots[i - 1].host == slots[i].host) continue;
      for (size_t j = i + 1; j < slots.size() && slots[j].host == slots[i].host; ++j) {
        count += slots[j].count;
      }
      out += (out.empty() ? "" : " ") + cluster_.topology().host(slots[i].host).name + ":" +
             std::to_string(count);
    }
    return out;
  }
  NodeId Id(const std::string& name) { return cluster_.FindNode(name); }

 private:
  Cluster cluster_;
  std::vector<NodeObject> nodes_;
  std::vector<std::pair<std::string, QuantityMap>> used_;
};

}  // namespace phalanx::test

#endif  // PHALANX_TEST_SUPPORT_PLACE_WORLD_H_

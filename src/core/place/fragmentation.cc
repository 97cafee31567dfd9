#include "core/place/fragmentation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace phalanx {

void Fragmentation::SetMix(const Cluster& cluster, Mix mix) {
  *this = Fragmentation();
  mix_ = std::move(mix);
  if (!Active()) return;
  view_ = ResidualView(cluster, mix_.shapes);
  for (const MixShape& shape : mix_.shapes) {
    PHALANX_CHECK(shape.weight > 0, "a weight of {}", shape.weight);
    demands_.push_back(view_.DemandOf(cluster, shape.shape));
    weight_ += shape.weight;
  }
  PHALANX_CHECK(weight_ < int64_t{1} << 32, "weights of {}", weight_);
  steps_.emplace(kWholeDevice * weight_);
}

void Fragmentation::Follow(const Cluster& cluster) {
  const Topology& topology = cluster.topology();
  const ChangeLog& log = cluster.ledger().changes();
  const auto changes = log.Since(read_);
  // Classes whose hosts are all gone are not dropped one by one.
  const bool anew = generation_ != topology.generation() || !changes ||
                    changes->size() > topology.hosts().size() ||
                    classes_.size() > 4 * topology.hosts().size() + 1024;
  if (anew) {
    classes_.clear();
    class_ids_.clear();
    costs_.clear();
    class_of_.assign(topology.hosts().size(), 0);
    for (uint32_t i = 0; i < class_of_.size(); ++i) class_of_[i] = ClassOf(cluster, HostId(i));
  } else {
    for (const NodeId node : *changes) {
      const HostId host = topology.HostOf(node);
      if (host.valid()) class_of_[host.index()] = ClassOf(cluster, host);
    }
  }
  generation_ = topology.generation();
  read_ = log.end();
}

uint32_t Fragmentation::ClassOf(const Cluster& cluster, HostId host) {
  Residual residual = view_.Of(cluster, cluster.topology().host(host).node);
  const auto [it, added] =
      class_ids_.try_emplace(std::move(residual), static_cast<uint32_t>(classes_.size()));
  if (added) classes_.push_back({it->first, Fragments(it->first)});
  return it->second;
}

int64_t Fragmentation::Fragments(const Residual& residual) const {
  const int64_t all = residual.Milli();
  int64_t sum = 0;
  for (size_t i = 0; i < mix_.shapes.size(); ++i) {
    const Demand& demand = demands_[i];
    int64_t fragment = all;
    const bool runs = demand.device != Demand::kNoDevice && (residual.admits >> i & 1) != 0 &&
                      HasRoom(residual, demand);
    if (runs) {
      const DevicesLeft& devices = residual.devices[demand.device];
      fragment -= devices.idle * kWholeDevice;
      const int32_t least = demand.part == 0 ? kWholeDevice : demand.part;
      const auto enough = std::lower_bound(devices.parts.begin(), devices.parts.end(), least);
      for (auto part = enough; part != devices.parts.end(); ++part) fragment -= *part;
    }
    sum += mix_.shapes[i].weight * fragment;
  }
  return sum;
}

int64_t Fragmentation::CostOf(const Class& before, const Demand& demand, int32_t members) const {
  Residual after = before.residual;
  Take(after, demand, members);
  const int64_t left = after.Milli();
  const int64_t added = Fragments(after) - before.fragments + weight_ * left / kLeftPart;
  return (int64_t{100} - steps_->ScoreOf(-added)) << kLeftBits | left;
}

Fragmentation::Costs& Fragmentation::CostsOf(const Cluster& cluster, ShapeId shape) {
  if (costs_.size() >= kMostCosts && !costs_.contains(shape)) costs_.clear();
  const auto [it, added] = costs_.try_emplace(shape);
  if (added) it->second.demand = view_.DemandOf(cluster, shape);
  return it->second;
}

int64_t Fragmentation::Cost(Costs& costs, HostId host, int32_t members) const {
  const auto k = static_cast<size_t>(members);
  if (costs.known.size() <= k) costs.known.resize(k + 1);
  std::vector<int64_t>& known = costs.known[k];
  if (known.size() < classes_.size()) known.resize(classes_.size(), kUnknown);
  const uint32_t id = class_of_[host.index()];
  if (known[id] == kUnknown) known[id] = CostOf(classes_[id], costs.demand, members);
  return known[id];
}

Int128 Fragmentation::Sum() const {
  Int128 sum = 0;
  for (const uint32_t id : class_of_) sum += classes_[id].fragments;
  return sum;
}

int64_t Fragmentation::LeftMilli() const {
  int64_t sum = 0;
  for (const uint32_t id : class_of_) sum += classes_[id].residual.Milli();
  return sum;
}

}  // namespace phalanx

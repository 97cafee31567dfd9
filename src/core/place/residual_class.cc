#include "core/place/residual_class.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/check.h"

namespace phalanx {

int64_t DevicesLeft::Milli() const {
  return std::accumulate(parts.begin(), parts.end(), idle * kWholeDevice);
}

int64_t Residual::Milli() const {
  int64_t sum = 0;
  for (const DevicesLeft& left : devices) sum += left.Milli();
  return sum;
}

ResidualView::ResidualView(const Cluster& cluster, std::span<const MixShape> mix) {
  PHALANX_CHECK(mix.size() <= kMostShapes, "{} shapes in a mix", mix.size());
  for (size_t i = 0; i < mix.size(); ++i) {
    AddFilter(cluster, mix[i].shape, i);
    if (mix[i].device.valid()) devices_.push_back(mix[i].device);
  }
  std::sort(devices_.begin(), devices_.end());
  devices_.erase(std::unique(devices_.begin(), devices_.end()), devices_.end());
  for (const MixShape& shape : mix) {
    for (const auto& [id, amount] : cluster.shapes().Get(shape.shape).request.entries()) {
      if (DeviceIndex(id) == Demand::kNoDevice) free_.push_back(id);
    }
  }
  std::sort(free_.begin(), free_.end());
  free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
}

void ResidualView::AddFilter(const Cluster& cluster, ShapeId id, size_t bit) {
  const auto filters = [&](ShapeId of) {
    const Shape& shape = cluster.shapes().Get(of);
    return std::tie(shape.node_selector, shape.required_terms, shape.tolerations);
  };
  const auto same = std::find_if(alike_.begin(), alike_.end(), [&](const Alike& alike) {
    return filters(alike.first) == filters(id);
  });
  Alike& alike = same == alike_.end() ? alike_.emplace_back(Alike{id}) : *same;
  alike.shapes |= uint64_t{1} << bit;
}

size_t ResidualView::DeviceIndex(ResourceId id) const {
  const auto found = std::find(devices_.begin(), devices_.end(), id);
  return found == devices_.end() ? Demand::kNoDevice
                                 : static_cast<size_t>(found - devices_.begin());
}

Residual ResidualView::Of(const Cluster& cluster, NodeId node) const {
  Residual residual;
  for (const Alike& alike : alike_) {
    if (cluster.Admits(node, alike.first)) residual.admits |= alike.shapes;
  }
  residual.free.reserve(free_.size());
  for (const ResourceId id : free_) {
    residual.free.push_back(std::max<int64_t>(cluster.Free(node, id), 0));
  }
  residual.devices.reserve(devices_.size());
  for (const ResourceId id : devices_) {
    residual.devices.push_back(
        {std::max<int64_t>(cluster.Free(node, id), 0), cluster.ledger().shared().Left(node, id)});
  }
  return residual;
}

Demand ResidualView::DemandOf(const Cluster& cluster, ShapeId shape) const {
  const Resources& request = cluster.shapes().Get(shape).request;
  Demand demand;
  for (const auto& [id, amount] : request.entries()) {
    if (const size_t device = DeviceIndex(id); device != Demand::kNoDevice) {
      demand.device = device;
      demand.whole = amount;
      continue;
    }
    const auto found = std::lower_bound(free_.begin(), free_.end(), id);
    if (found == free_.end() || *found != id) continue;
    demand.free.emplace_back(static_cast<size_t>(found - free_.begin()), amount);
  }
  if (request.share().Any()) {
    demand.device = DeviceIndex(request.share().device);
    demand.part = demand.device == Demand::kNoDevice ? 0 : request.share().milli;
  }
  return demand;
}

bool HasRoom(const Residual& residual, const Demand& demand) {
  for (const auto& [index, amount] : demand.free) {
    if (residual.free[index] < amount) return false;
  }
  if (demand.device == Demand::kNoDevice) return true;
  const DevicesLeft& left = residual.devices[demand.device];
  if (demand.part == 0) return left.idle >= demand.whole;
  return left.idle > 0 || (!left.parts.empty() && left.parts.back() >= demand.part);
}

namespace {

void TakePart(DevicesLeft& left, int32_t part) {
  auto device = std::lower_bound(left.parts.begin(), left.parts.end(), part);
  int32_t rest = kWholeDevice - part;
  if (device != left.parts.end()) {
    rest = *device - part;
    left.parts.erase(device);
  } else {
    left.idle = std::max<int64_t>(left.idle - 1, 0);
  }
  left.parts.insert(std::upper_bound(left.parts.begin(), left.parts.end(), rest), rest);
}

}  // namespace

void Take(Residual& residual, const Demand& demand, int32_t members) {
  for (const auto& [index, amount] : demand.free) {
    residual.free[index] = std::max<int64_t>(residual.free[index] - amount * members, 0);
  }
  if (demand.device == Demand::kNoDevice) return;
  DevicesLeft& left = residual.devices[demand.device];
  left.idle = std::max<int64_t>(left.idle - demand.whole * members, 0);
  for (int32_t i = 0; demand.part > 0 && i < members; ++i) TakePart(left, demand.part);
}

}  // namespace phalanx

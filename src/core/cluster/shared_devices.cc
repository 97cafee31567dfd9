#include "core/cluster/shared_devices.h"

#include <algorithm>

#include "core/base/check.h"

namespace phalanx {

void SharedDevices::Take(PodId pod, NodeId node, const DeviceShare& share) {
  PHALANX_CHECK(share.milli > 0 && share.milli < kWholeDevice, "a share of {}", share.milli);
  const auto has = parts_.find(pod);
  if (has != parts_.end() && has->second.node == node && has->second.share == share) return;
  Give(pod);
  if (devices_.size() <= node.index()) devices_.resize(node.index() + 1);
  std::vector<Device>& devices = devices_[node.index()];
  size_t best = devices.size();
  size_t unused = devices.size();
  for (size_t i = devices.size(); i-- > 0;) {
    const Device& device = devices[i];
    if (device.taken == 0) unused = i;
    if (device.taken == 0 || device.resource != share.device) continue;
    if (device.left() < share.milli) continue;
    if (best == devices.size() || device.left() <= devices[best].left()) best = i;
  }
  if (best == devices.size()) best = unused;
  if (best == devices.size()) devices.emplace_back();
  devices[best].resource = share.device;
  devices[best].taken += share.milli;
  parts_.emplace(pod, Part{node, best, share});
}

void SharedDevices::Give(PodId pod) {
  const auto has = parts_.find(pod);
  if (has == parts_.end()) return;
  const Part& part = has->second;
  devices_[part.node.index()][part.device].taken -= part.share.milli;
  parts_.erase(has);
}

int64_t SharedDevices::Count(NodeId node, ResourceId device) const {
  if (node.index() >= devices_.size()) return 0;
  const std::vector<Device>& devices = devices_[node.index()];
  return std::count_if(devices.begin(), devices.end(), [device](const Device& shared) {
    return shared.taken > 0 && shared.resource == device;
  });
}

std::vector<int32_t> SharedDevices::Left(NodeId node, ResourceId device) const {
  std::vector<int32_t> left;
  if (node.index() >= devices_.size()) return left;
  for (const Device& shared : devices_[node.index()]) {
    if (shared.taken > 0 && shared.resource == device) left.push_back(shared.left());
  }
  std::sort(left.begin(), left.end());
  return left;
}

int64_t SharedDevices::Slots(NodeId node, const DeviceShare& share) const {
  if (node.index() >= devices_.size()) return 0;
  int64_t slots = 0;
  for (const Device& shared : devices_[node.index()]) {
    if (shared.taken > 0 && shared.resource == share.device) slots += shared.left() / share.milli;
  }
  return slots;
}

bool SharedDevices::Check() const {
  std::vector<std::vector<int32_t>> taken;
  for (const std::vector<Device>& devices : devices_) taken.emplace_back(devices.size());
  for (const auto& [pod, part] : parts_) {
    if (part.node.index() >= taken.size()) return false;
    if (part.device >= taken[part.node.index()].size()) return false;
    taken[part.node.index()][part.device] += part.share.milli;
  }
  for (size_t node = 0; node < taken.size(); ++node) {
    for (size_t i = 0; i < taken[node].size(); ++i) {
      if (taken[node][i] != devices_[node][i].taken || taken[node][i] > kWholeDevice) return false;
    }
  }
  return true;
}

}  // namespace phalanx

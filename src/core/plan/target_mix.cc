#include "core/plan/target_mix.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace phalanx {
namespace {

constexpr int64_t kMostWeight = int64_t{1} << 30;
constexpr int64_t kMostGangWeight = int64_t{1} << 20;
constexpr size_t kMostGangs = 8;

int64_t QuarterOf(Time now) { return now.ms / (TargetMix::kHalfLife.ms / 4); }

// What a shape is, without ids: they depend on the order in which things came.
auto ContentOf(const Cluster& cluster, ShapeId id) {
  const Shape& shape = cluster.shapes().Get(id);
  return std::make_tuple(shape.request.ToMap(cluster.resources()), shape.node_selector,
                         shape.required_terms, shape.tolerations, shape.segment);
}

using Weighed = std::vector<std::pair<ShapeId, int64_t>>;

// The heaviest ones that make up 95 % of the sum; equal ones by content.
void KeepTypical(const Cluster& cluster, Weighed& shapes) {
  std::sort(shapes.begin(), shapes.end(), [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return a.first != b.first && ContentOf(cluster, a.first) < ContentOf(cluster, b.first);
  });
  Int128 sum = 0;
  for (const auto& [shape, weight] : shapes) sum += weight;
  Int128 kept = 0;
  size_t size = 0;
  while (size < std::min(shapes.size(), ResidualView::kMostShapes) && kept * 100 < sum * 95) {
    kept += shapes[size++].second;
  }
  shapes.resize(size);
}

// The device that the shape asks for; of several the first by name.
ResourceId DeviceOf(const Cluster& cluster, ShapeId id, const TargetMix::IsDevice& is_device) {
  const Resources& request = cluster.shapes().Get(id).request;
  if (request.share().Any()) return request.share().device;
  ResourceId device;
  for (const auto& [resource, amount] : request.entries()) {
    const std::string& name = cluster.resources().Name(resource);
    if (!is_device(name)) continue;
    if (!device.valid() || name < cluster.resources().Name(device)) device = resource;
  }
  return device;
}

// Thousandths of devices of a member; 1000 for one that asks for none.
int64_t MilliOf(const Cluster& cluster, ShapeId id, ResourceId device) {
  const Resources& request = cluster.shapes().Get(id).request;
  if (!device.valid()) return kWholeDevice;
  return request.share().Any() ? request.share().milli : request.Get(device) * kWholeDevice;
}

// Divides by the power of two that brings the sum down to `most`, or nearly.
template <class Weighted>
void Scale(std::vector<Weighted>& all, Int128 sum, int64_t most) {
  int shift = 0;
  while (sum >> shift > most) ++shift;
  for (Weighted& one : all) one.weight = std::max<int64_t>(one.weight >> shift, 1);
}

std::vector<MixShape> ShapesOf(const Cluster& cluster, const TargetMix::Counts& counts,
                               const TargetMix::IsDevice& is_device) {
  std::map<ShapeId, int64_t> by_shape;
  for (const auto& [kind, count] : counts) by_shape[kind.shape] += count;
  Weighed shapes(by_shape.begin(), by_shape.end());
  KeepTypical(cluster, shapes);
  std::vector<MixShape> mix;
  Int128 sum = 0;
  for (const auto& [shape, count] : shapes) {
    const ResourceId device = DeviceOf(cluster, shape, is_device);
    const Int128 weight = Int128{count} * kWholeDevice / MilliOf(cluster, shape, device);
    mix.push_back({shape, device, static_cast<int64_t>(weight)});
    sum += weight;
  }
  Scale(mix, sum, kMostWeight);
  return mix;
}

std::vector<GangSize> GangsOf(const Cluster& cluster, const TargetMix::Counts& counts,
                              const TargetMix::IsDevice& is_device) {
  std::map<std::pair<ResourceId, int64_t>, int64_t> by_size;
  for (const auto& [kind, count] : counts) {
    const ResourceId device = DeviceOf(cluster, kind.shape, is_device);
    if (!device.valid()) continue;
    const int64_t each = cluster.shapes().Get(kind.shape).request.Get(device);
    if (each * kind.gang > 1) by_size[{device, each * kind.gang}] += count * each;
  }
  std::vector<GangSize> gangs;
  for (const auto& [size, weight] : by_size) gangs.push_back({size.first, size.second, weight});
  const auto order = [&](const GangSize& gang) {
    return std::make_tuple(-gang.weight, gang.devices, cluster.resources().Name(gang.device));
  };
  std::sort(gangs.begin(), gangs.end(),
            [&](const GangSize& a, const GangSize& b) { return order(a) < order(b); });
  if (gangs.size() > kMostGangs) gangs.resize(kMostGangs);
  Int128 sum = 0;
  for (const GangSize& gang : gangs) sum += gang.weight;
  Scale(gangs, sum, kMostGangWeight);
  return gangs;
}

}  // namespace

void TargetMix::Fade(Time now) {
  const int64_t halves = now.ms / kHalfLife.ms;
  if (halves <= faded_) return;
  const int64_t shift = std::min<int64_t>(halves - faded_, 62);
  faded_ = halves;
  total_ = 0;
  for (auto& [kind, weight] : lately_) total_ += weight >>= shift;
  std::erase_if(lately_, [](const auto& item) { return item.second == 0; });
}

void TargetMix::Came(const Kind& kind, Time now) {
  Fade(now);
  lately_[kind] += kOne;
  total_ += kOne;
}

bool TargetMix::Due(Time now) const {
  if (made_of_ < 0) return total_ > 0;
  return QuarterOf(now) != made_in_ || total_ > made_of_ + made_of_ / 8;
}

Mix TargetMix::Make(const Cluster& cluster, const Counts& waiting, const IsDevice& is_device,
                    Time now) {
  Fade(now);
  made_of_ = total_;
  made_in_ = QuarterOf(now);
  return MixOf(cluster, With(waiting), is_device);
}

TargetMix::Counts TargetMix::With(const Counts& waiting) const {
  Counts counts = lately_;
  for (const auto& [kind, members] : waiting) counts[kind] += members * kOne;
  return counts;
}

Mix TargetMix::MixOf(const Cluster& cluster, const Counts& counts, const IsDevice& is_device) {
  return {ShapesOf(cluster, counts, is_device), GangsOf(cluster, counts, is_device)};
}

}  // namespace phalanx

// What is left of a host, as far as it matters to a mix of shapes; hosts with equal remains are one
// class.
//
//     mix: {1 GPU + 4 CPU, share of 500 + 2 CPU}
//     host  free CPU 12, memory 300 GiB, GPUs idle idle 540 0        admits both
//     class free CPU 12,                 idle 2, parts {540}         admits 11
#ifndef PHALANX_CORE_PLACE_RESIDUAL_CLASS_H_
#define PHALANX_CORE_PLACE_RESIDUAL_CLASS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/cluster/cluster.h"
#include "phalanx/ids.h"

namespace phalanx {

// A shape that counts, and how much.
struct MixShape {
  ShapeId shape;
  ResourceId device;   // the devices that it asks for, whole or a part; None: none
  int64_t weight = 0;  // > 0

  friend bool operator==(const MixShape&, const MixShape&) = default;
};

// What is left of the devices of one resource.
struct DevicesLeft {
  int64_t idle = 0;
  std::vector<int32_t> parts;  // of shared ones, thousandths, ascending

  int64_t Milli() const;
  friend auto operator<=>(const DevicesLeft&, const DevicesLeft&) = default;
};

struct Residual {
  uint64_t admits = 0;               // bit i: no filter keeps shape i of the mix away
  std::vector<int64_t> free;         // by resource of the mix that is no device; not negative
  std::vector<DevicesLeft> devices;  // by device resource of the mix

  int64_t Milli() const;
  friend auto operator<=>(const Residual&, const Residual&) = default;
};

// What a member takes of a residual.
struct Demand {
  static constexpr size_t kNoDevice = std::numeric_limits<size_t>::max();

  std::vector<std::pair<size_t, int64_t>> free;  // index into Residual::free, amount
  size_t device = kNoDevice;                     // index into Residual::devices
  int64_t whole = 0;                             // so many devices
  int32_t part = 0;                              // or thousandths of one
};

// The resources that a mix looks at.
class ResidualView {
 public:
  static constexpr size_t kMostShapes = 64;

  ResidualView() = default;
  // REQUIRES: at most kMostShapes.
  ResidualView(const Cluster& cluster, std::span<const MixShape> mix);

  // O(different filters + resources).
  Residual Of(const Cluster& cluster, NodeId node) const;
  // What the mix does not look at is left out.
  Demand DemandOf(const Cluster& cluster, ShapeId shape) const;

 private:
  // Shapes that no filter tells apart.
  struct Alike {
    ShapeId first;
    uint64_t shapes = 0;  // bit i: shape i of the mix
  };
  void AddFilter(const Cluster& cluster, ShapeId shape, size_t bit);
  size_t DeviceIndex(ResourceId id) const;

  std::vector<Alike> alike_;
  std::vector<ResourceId> free_;
  std::vector<ResourceId> devices_;
};

// Whether there is room for a member; filters apart.
bool HasRoom(const Residual& residual, const Demand& demand);
// Takes `members`: parts as SharedDevices does, the least that suffices first. What is missing is
// taken for there.
void Take(Residual& residual, const Demand& demand, int32_t members);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_RESIDUAL_CLASS_H_

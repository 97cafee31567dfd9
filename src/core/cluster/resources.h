// Quantities by resource, and the table of resource names.
//
// Units: see phalanx/objects.h. A Resources is a short sorted list, since a pod names three to six
// resources out of a few dozen.
#ifndef PHALANX_CORE_CLUSTER_RESOURCES_H_
#define PHALANX_CORE_CLUSTER_RESOURCES_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/interner.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"

namespace phalanx {

using ResourceNames = Interner<ResourceId>;

// A part of one device, in thousandths of it.
struct DeviceShare {
  ResourceId device;
  int32_t milli = 0;  // 1 .. 999; 0: no part of a device is asked for

  bool Any() const { return milli > 0; }
  friend auto operator<=>(const DeviceShare&, const DeviceShare&) = default;
};
inline constexpr int32_t kWholeDevice = 1000;

class Resources {
 public:
  Resources() = default;
  // Interns names that are new. Zero quantities are dropped. kShareOf + NAME is a part of one
  // device NAME. REQUIRES: at most one of these, of 0 to 999.
  static Resources From(const QuantityMap& quantities, ResourceNames& names);

  // Whole units. A share is none of any resource.
  int64_t Get(ResourceId id) const;
  const DeviceShare& share() const { return share_; }
  // The same with a whole device in place of a part of one.
  Resources InWholeDevices() const;
  // Shares do not add up: sums have none.
  // REQUIRES: the result is not negative for any resource.
  void Add(const Resources& other, int64_t times = 1);
  void Subtract(const Resources& other);
  QuantityMap ToMap(const ResourceNames& names) const;

  const std::vector<std::pair<ResourceId, int64_t>>& entries() const { return entries_; }
  friend auto operator<=>(const Resources&, const Resources&) = default;

 private:
  std::vector<std::pair<ResourceId, int64_t>> entries_;  // by id, no zeros
  DeviceShare share_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_RESOURCES_H_

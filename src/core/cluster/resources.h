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

class Resources {
 public:
  Resources() = default;
  // Interns names that are new. Zero quantities are dropped.
  static Resources From(const QuantityMap& quantities, ResourceNames& names);

  int64_t Get(ResourceId id) const;
  // REQUIRES: the result is not negative for any resource.
  void Add(const Resources& other, int64_t times = 1);
  void Subtract(const Resources& other);
  QuantityMap ToMap(const ResourceNames& names) const;

  const std::vector<std::pair<ResourceId, int64_t>>& entries() const { return entries_; }
  friend auto operator<=>(const Resources&, const Resources&) = default;

 private:
  std::vector<std::pair<ResourceId, int64_t>> entries_;  // by id, no zeros
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_RESOURCES_H_

// Which resources are accelerators.
#ifndef PHALANX_CORE_ENGINE_ACCELERATORS_H_
#define PHALANX_CORE_ENGINE_ACCELERATORS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/resources.h"
#include "phalanx/objects.h"

namespace phalanx {

class Accelerators {
 public:
  // A trailing "*" matches any rest.
  explicit Accelerators(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  bool Matches(std::string_view resource) const;
  bool AnyIn(const QuantityMap& requests) const;
  // Devices asked for.
  int64_t CountIn(const Resources& requests, const ResourceNames& names) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_ACCELERATORS_H_

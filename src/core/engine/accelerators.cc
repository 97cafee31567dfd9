#include "core/engine/accelerators.h"

namespace phalanx {

bool Accelerators::Matches(std::string_view resource) const {
  for (std::string_view pattern : patterns_) {
    if (pattern.ends_with('*')) {
      pattern.remove_suffix(1);
      if (resource.starts_with(pattern)) return true;
    } else if (resource == pattern) {
      return true;
    }
  }
  return false;
}

bool Accelerators::AnyIn(const QuantityMap& requests) const {
  for (const auto& [name, quantity] : requests) {
    if (quantity > 0 && Matches(name)) return true;
  }
  return false;
}

int64_t Accelerators::CountIn(const Resources& requests, const ResourceNames& names) const {
  int64_t sum = 0;
  for (const auto& [id, quantity] : requests.entries()) {
    if (Matches(names.Name(id))) sum += quantity;
  }
  return sum;
}

}  // namespace phalanx

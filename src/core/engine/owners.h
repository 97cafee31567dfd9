// How a bound member can leave when its gang's start is rolled back.
//
// A controller that makes a new pod after an eviction gives the gang another start. Where an
// eviction would end the owner, or nobody makes the pod again, the member stays and the gang's
// reason says so. Kinds that are not in the table stay too: harmless when in doubt.
#ifndef PHALANX_CORE_ENGINE_OWNERS_H_
#define PHALANX_CORE_ENGINE_OWNERS_H_

#include <string_view>

#include "phalanx/objects.h"

namespace phalanx {

struct WayOut {
  bool evict = false;
  std::string_view why;  // in words, for the author
};

WayOut WayOutOf(const OwnerRef& owner);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_OWNERS_H_

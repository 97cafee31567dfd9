// How a bound member can leave when its gang's start is rolled back.
//
// A controller that makes a new pod after an eviction gives the gang another start. Where an
// eviction would end the owner, or nobody makes the pod again, the member stays and the gang's
// reason says so. Kinds that are not in the table stay too: harmless when in doubt.
#ifndef PHALANX_CORE_ENGINE_OWNERS_H_
#define PHALANX_CORE_ENGINE_OWNERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "phalanx/objects.h"

namespace phalanx {

struct WayOut {
  enum class Way {
    kStay,
    kEvict,
    kAskJob,  // as JudgeJob() says once the Job was read
  };
  Way way = Way::kStay;
  std::string why;  // in words, for the author; with what to do, for those that stay
};

WayOut WayOutOf(const OwnerRef& owner);

// For a Job whose `pods` bound pods would be evicted; `job` is absent if it is gone.
WayOut JudgeJob(const std::optional<JobObject>& job, int64_t pods);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_OWNERS_H_

// Queues: GangQueue of phalanx.dev/v1alpha1. Its schema refuses most of what is refused here; a
// cluster may have an older one.
//
// Threads: pure functions. Errors: become problems of the object.
#ifndef PHALANX_WIRE_DIALECTS_QUEUE_H_
#define PHALANX_WIRE_DIALECTS_QUEUE_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr int64_t kMaxQueueDevices = 1'000'000'000;

void ReadGangQueue(const nlohmann::json& json, ApiObject& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_QUEUE_H_

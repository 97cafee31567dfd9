// Counters of what the service itself sees; added to by any thread, read by /metrics.
#ifndef PHALANX_SERVICE_COUNTERS_H_
#define PHALANX_SERVICE_COUNTERS_H_

#include <atomic>
#include <cstdint>

namespace phalanx::service {

using Counter = std::atomic<int64_t>;

// Calls of one method, by how they ended.
struct CallCounters {
  Counter ok{0};
  Counter stale_epoch{0};
  Counter unknown_pod{0};
  Counter invalid{0};
  Counter no_room{0};
};

struct ServiceCounters {
  CallCounters filter, score, reserve, unreserve, permit;
  // Input that was refused, by kind.
  Counter refused_nodes{0}, refused_pods{0}, refused_objects{0}, refused_facts{0};
  Counter refused_hellos{0}, refused_epochs{0};
  Counter sessions{0};       // Hellos that were welcomed
  Counter slow_sessions{0};  // ended because directives piled up
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_COUNTERS_H_

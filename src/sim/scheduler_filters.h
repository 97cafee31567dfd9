// What kube-scheduler's own plugins say about a pod on a node, from the truth of the API server.
#ifndef PHALANX_SIM_SCHEDULER_FILTERS_H_
#define PHALANX_SIM_SCHEDULER_FILTERS_H_

#include <optional>
#include <string>

#include "sim/api_server.h"

namespace phalanx::sim {

struct PluginRefusal {
  std::string plugin;
  std::string message;
};

// `assumed`: what pods take that the scheduler has reserved there and that are not bound yet.
std::optional<PluginRefusal> RunFilters(const ApiServer& api, const ApiPod& pod,
                                        const std::string& node, const QuantityMap& assumed);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_SCHEDULER_FILTERS_H_

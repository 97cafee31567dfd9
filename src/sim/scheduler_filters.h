// What kube-scheduler's own plugins say about a pod on a node, from the truth of the API server.
#ifndef PHALANX_SIM_SCHEDULER_FILTERS_H_
#define PHALANX_SIM_SCHEDULER_FILTERS_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/api_server.h"

namespace phalanx::sim {

struct PluginRefusal {
  std::string plugin;
  std::string message;
};

// Node -> UIDs of the pods that the scheduler has reserved there; some may be bound already.
using Reserved = std::map<std::string, std::set<std::string>>;

// `assumed`: what those of them take that are not bound yet.
std::optional<PluginRefusal> RunFilters(const ApiServer& api, const ApiPod& pod,
                                        const std::string& node, const QuantityMap& assumed,
                                        const Reserved& reserved);

// The rules of a pod about pods like itself: those of its namespace with an equal rule.
std::optional<PluginRefusal> RunSelfRules(const ApiServer& api, const ApiPod& pod,
                                          const NodeObject& node, const Reserved& reserved);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_SCHEDULER_FILTERS_H_

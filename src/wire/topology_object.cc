#include "wire/topology_object.h"

#include <nlohmann/json.hpp>

#include "wire/gang_object.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::ordered_json;

Json Observed(const char* type, const GangCondition& condition, int64_t generation) {
  Json json = ConditionJson(type, condition);
  json["observedGeneration"] = generation;
  return json;
}

}  // namespace

std::string TopologyStatusPatch(const TopologyReport& report) {
  const Json conditions = Json::array({Observed("Accepted", report.accepted, report.generation),
                                       Observed("InForce", report.in_force, report.generation)});
  const Json patch = {{"metadata", {{"uid", report.uid}}},
                      {"status",
                       {{"observedGeneration", report.generation},
                        {"levels", report.levels},
                        {"nodes", report.nodes},
                        {"conditions", conditions}}}};
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace phalanx::wire

// The status of a ClusterTopology as it is written.
#include "wire/topology_object.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace phalanx::wire {
namespace {

TEST(TopologyObjectTest, TheStatusNamesTheGenerationThatItIsAbout) {
  TopologyReport report{.key = {"ClusterTopology", "", "default"}, .uid = "u1", .generation = 4};
  report.levels = {"row", "rack"};
  report.nodes = 12;
  report.accepted = {false, Time{1'000}, "Invalid", "spec.levels: got \"\xff\", expected text"};
  report.in_force = {true, Time{0}, "LastGood", "generation 3"};
  const nlohmann::json patch = nlohmann::json::parse(TopologyStatusPatch(report));
  EXPECT_EQ(patch["metadata"]["uid"], "u1");
  const nlohmann::json& status = patch["status"];
  EXPECT_EQ(status["observedGeneration"], 4);
  EXPECT_EQ(status["levels"], nlohmann::json({"row", "rack"}));
  EXPECT_EQ(status["nodes"], 12);
  EXPECT_EQ(status["conditions"][0]["type"], "Accepted");
  EXPECT_EQ(status["conditions"][0]["status"], "False");
  EXPECT_EQ(status["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:01Z");
  EXPECT_EQ(status["conditions"][1]["type"], "InForce");
  EXPECT_EQ(status["conditions"][1]["status"], "True");
  EXPECT_EQ(status["conditions"][1]["observedGeneration"], 4);
}

}  // namespace
}  // namespace phalanx::wire

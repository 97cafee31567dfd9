// Views as JSON: what users and scripts read.
#include "wire/json_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

using nlohmann::json;

GangView Waiting() {
  GangView gang;
  gang.key = {"team", "label", "train"};
  gang.phase = GangPhase::kQueued;
  gang.size = gang.min = 4;
  gang.present = 4;
  gang.devices = 32;
  gang.position = 2;
  gang.first_seen.ms = 1'700'000'000'000;
  gang.reason.code = ReasonCode::kCapacity;
  gang.reason.have = 3;
  gang.reason.need = 4;
  gang.reason.exclusions = {{ExclusionCause::kTaint, "gpu=yes:NoSchedule", 7}};
  gang.explanation = "3 of 4 members fit";
  gang.members = {{"u0", "train-0", "worker", "seen", "", -1}};
  return gang;
}

TEST(JsonView, AWaitingGangHasItsReason) {
  json gang = json::parse(GangToJson(Waiting()));
  EXPECT_EQ(gang["phase"], "queued");
  EXPECT_EQ(gang["namespace"], "team");
  EXPECT_EQ(gang["position"], 2);
  EXPECT_EQ(gang["reason"]["code"], "capacity");
  EXPECT_EQ(gang["reason"]["message"], "3 of 4 members fit");
  EXPECT_EQ(gang["reason"]["exclusions"][0]["cause"], "taint");
  EXPECT_EQ(gang["reason"]["exclusions"][0]["nodes"], 7);
  EXPECT_EQ(gang["members"][0]["state"], "seen");
  EXPECT_FALSE(gang["members"][0].contains("rank"));
  EXPECT_FALSE(gang.contains("plan"));
  EXPECT_FALSE(gang.contains("startedMs"));
}

TEST(JsonView, ListsAreObjectsWithOneArray) {
  EXPECT_EQ(GangsToJson({}), R"({"gangs":[]})");
  EXPECT_EQ(NodesToJson({}), R"({"nodes":[]})");
  EXPECT_EQ(json::parse(GangsToJson({Waiting(), Waiting()}))["gangs"].size(), 2u);
  EXPECT_FALSE(json::parse(GangsToJson({Waiting()}))["gangs"][0].contains("members"));
}

TEST(JsonView, NodesAndTopology) {
  NodeView node{"n1", {"zone-a", ""}, true, false, {{"nvidia.com/gpu", 8}}, {}, {}};
  json nodes = json::parse(NodesToJson({node}));
  EXPECT_EQ(nodes["nodes"][0]["path"], json({"zone-a", ""}));
  EXPECT_EQ(nodes["nodes"][0]["allocatable"]["nvidia.com/gpu"], 8);
  TopologyView topology;
  topology.generation = 3;
  topology.levels = {"zone"};
  topology.domains = {{"zone-a", "zone", 4, {{"nvidia.com/gpu", 32}}, {{"nvidia.com/gpu", 8}}}};
  json out = json::parse(TopologyToJson(topology));
  EXPECT_EQ(out["generation"], 3);
  EXPECT_EQ(out["domains"][0]["free"]["nvidia.com/gpu"], 8);
}

TEST(JsonView, TextThatIsNoUtf8IsReplaced) {
  GangView gang = Waiting();
  gang.explanation = "plugin said \xff\xfe\"\n";
  EXPECT_FALSE(json::parse(GangToJson(gang), nullptr, false).is_discarded());
  EXPECT_FALSE(json::parse(ErrorToJson(404, "\xc3("), nullptr, false).is_discarded());
}

TEST(JsonView, EveryEnumHasAWord) {
  for (int i = 0; i <= static_cast<int>(GangPhase::kDone); ++i) {
    EXPECT_NE(Name(static_cast<GangPhase>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ReasonCode::kRollingBack); ++i) {
    EXPECT_NE(Name(static_cast<ReasonCode>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ExclusionCause::kConflict); ++i) {
    EXPECT_NE(Name(static_cast<ExclusionCause>(i)), "unknown") << i;
  }
  for (int i = 0; i <= static_cast<int>(ProvenThrough::kAll); ++i) {
    EXPECT_NE(ProvenName(static_cast<ProvenThrough>(i)), "unknown") << i;
  }
}

}  // namespace
}  // namespace phalanx::wire

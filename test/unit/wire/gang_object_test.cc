// Gang objects as the API server takes them.
#include "wire/gang_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "wire/encode.h"

namespace phalanx::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using Json = nlohmann::json;

GangReport Waiting() {
  GangReport report;
  report.object = {
      {"team", "label", "train"}, "train.label", {{"batch/v1", "Job", "train", "u-1"}}};
  report.size = 12;
  report.min = 10;
  report.present = 12;
  report.accelerators = 48;
  report.priority = -3;
  report.position = 2;
  report.waiting_since = Time{1'772'366'400'999};
  report.reason = {.code = ReasonCode::kCapacity, .have = 6, .need = 12};
  report.reason.subject = "nvidia.com/gpu";
  report.reason.exclusions = {{ExclusionCause::kTaint, "a=b:NoSchedule", 3}};
  report.explanation = "needs 12 members";
  report.complete = {true, Time{1'000}, "MembersPresent", "12 of 12"};
  report.ready = {false, Time{2'000}, "Capacity", "needs 12 members"};
  report.finished = {false, Time{2'000}, "Capacity", "needs 12 members"};
  return report;
}

Json StatusOf(const GangReport& report) { return Json::parse(GangStatusPatch(report))["status"]; }

TEST(GangManifest, SaysWhichGangAndWhoseItIs) {
  const Json out = Json::parse(GangManifest(Waiting().object));
  EXPECT_EQ(out["apiVersion"], "phalanx.dev/v1alpha1");
  EXPECT_EQ(out["kind"], "Gang");
  EXPECT_EQ(out["metadata"]["name"], "train.label");
  EXPECT_EQ(out["metadata"]["namespace"], "team");
  EXPECT_EQ(out["spec"], Json({{"source", "label"}, {"name", "train"}}));
  ASSERT_EQ(out["metadata"]["ownerReferences"].size(), 1u);
  const Json& owner = out["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["uid"], "u-1");
  EXPECT_FALSE(owner.contains("controller")) << "the Job controls its pods, not this";
  EXPECT_FALSE(owner.contains("blockOwnerDeletion")) << "that would need a right on every owner";
}

TEST(GangManifest, OfBarePodsGoesWithTheLastOfThem) {
  GangReport report = Waiting();
  report.object.owners = {{"v1", "Pod", "train-0", "u-0"}, {"v1", "Pod", "train-1", "u-1"}};
  const Json owners = Json::parse(GangManifest(report.object))["metadata"]["ownerReferences"];
  ASSERT_EQ(owners.size(), 2u);
  EXPECT_EQ(owners[1],
            Json({{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "train-1"}, {"uid", "u-1"}}));
  EXPECT_TRUE(StatusOf(report)["owner"].is_null());
}

TEST(GangStatusPatch, OfAWaitingGang) {
  const Json status = StatusOf(Waiting());
  EXPECT_EQ(status["state"], "Waiting");
  EXPECT_EQ(status["ready"], "0/12");
  EXPECT_EQ(status["owner"], "Job/train");
  EXPECT_EQ(status["accelerators"], 48);
  EXPECT_EQ(status["priority"], -3);
  EXPECT_EQ(status["position"], 2);
  EXPECT_EQ(status["eta"], Json({{"basis", "unknown"}, {"text", "unknown"}}));
  EXPECT_EQ(status["waitingSince"], "2026-03-01T12:00:00Z");
  EXPECT_EQ(status["reason"], "Capacity");
  EXPECT_EQ(status["message"], "needs 12 members");
  EXPECT_EQ(status["explanation"]["have"], 6);
  EXPECT_EQ(status["explanation"]["exclusions"][0]["cause"], "Taint");
  EXPECT_TRUE(status["startedAt"].is_null());
  EXPECT_TRUE(status["placement"].is_null());
  ASSERT_EQ(status["conditions"].size(), 3u);
  EXPECT_EQ(status["conditions"][0]["type"], "Complete");
  EXPECT_EQ(status["conditions"][0]["status"], "True");
  EXPECT_EQ(status["conditions"][1]["lastTransitionTime"], "1970-01-01T00:00:02Z");
}

TEST(GangStatusPatch, TakesAwayWhatIsNotThereAnyMore) {
  GangReport running = Waiting();
  running.state = GangState::kRunning;
  running.position = 0;
  running.waiting_since = Time::Never();
  running.reason = {};
  running.explanation = "";
  running.started = Time{1'772'366'400'000};
  running.waited = Duration::Seconds(200);
  const Json status = StatusOf(running);
  for (const char* gone : {"position", "waitingSince", "reason", "message", "explanation", "eta"}) {
    EXPECT_TRUE(status.contains(gone) && status[gone].is_null()) << gone;
  }
  EXPECT_EQ(status["startedAt"], "2026-03-01T12:00:00Z");
  EXPECT_EQ(status["waited"], "3m20s");
}

// A brain that was restarted does not know when a running gang started; its predecessor wrote it.
TEST(GangStatusPatch, LeavesAloneWhatItDoesNotKnow) {
  GangReport running = Waiting();
  running.state = GangState::kRunning;
  const Json status = StatusOf(running);
  EXPECT_FALSE(status.contains("startedAt"));
  EXPECT_FALSE(status.contains("waited"));
}

TEST(GangStatusPatch, SurvivesTextThatIsNoUtf8) {
  GangReport report = Waiting();
  report.explanation = "bad \xff byte";
  EXPECT_THAT(GangStatusPatch(report), HasSubstr("bad"));
}

// Every field that is written is declared: the API server would drop others without a word.
TEST(GangStatusPatch, WritesOnlyWhatTheKindDeclares) {
  std::ifstream file("deploy/helm/phalanx/files/crds/phalanx.dev_gangs.yaml");
  ASSERT_TRUE(file) << "tests run in the root of the repository";
  std::stringstream text;
  text << file.rdbuf();
  const std::string crd = text.str().substr(text.str().find("            status:"));
  std::set<std::string> declared;
  std::set<std::string> written;
  const std::regex kField("\n {16}([a-zA-Z]+):\n");
  for (auto it = std::sregex_iterator(crd.begin(), crd.end(), kField); it != std::sregex_iterator();
       ++it) {
    declared.insert((*it)[1]);
  }
  GangReport started = Waiting();
  started.started = Time{1};
  const Json status = StatusOf(started);
  for (const auto& [field, value] : status.items()) written.insert(field);
  EXPECT_GT(written.size(), 15u);
  EXPECT_THAT(written, IsSubsetOf(declared));
}

TEST(WaitsPatch, IsOneConditionOfThatVeryPod) {
  const PodWaits waits{"u-7", "team", "p", Time{1'772'366'400'000}, "WaitingForGang", "look there"};
  const Json out = Json::parse(WaitsPatch(waits));
  EXPECT_EQ(out["metadata"], Json({{"uid", "u-7"}}));
  ASSERT_EQ(out["status"]["conditions"].size(), 1u);
  const Json& condition = out["status"]["conditions"][0];
  EXPECT_EQ(condition["type"], "PodScheduled");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "WaitingForGang");
  EXPECT_EQ(condition["message"], "look there");
  EXPECT_EQ(condition["lastTransitionTime"], "2026-03-01T12:00:00Z");
}

TEST(EncodeDirective, WritesGoAsPatches) {
  const GangReport report = Waiting();
  pb::SyncResponse out = EncodeDirective(5, {3, MakeGang{report.object}});
  EXPECT_EQ(out.sequence(), 3u);
  EXPECT_EQ(out.patch().kind(), pb::Patch::KIND_APPLY);
  EXPECT_EQ(out.patch().target().group(), "phalanx.dev");
  EXPECT_EQ(out.patch().target().version(), "v1alpha1");
  EXPECT_EQ(out.patch().target().resource(), "gangs");
  EXPECT_EQ(out.patch().target().namespace_(), "team");
  EXPECT_EQ(out.patch().target().name(), "train.label");
  EXPECT_EQ(out.patch().json(), GangManifest(report.object));
  out = EncodeDirective(5, {4, ShowGang{report}});
  EXPECT_EQ(out.patch().kind(), pb::Patch::KIND_MERGE);
  EXPECT_EQ(out.patch().subresource(), "status");
  out = EncodeDirective(5, {5, DropGang{report.object}});
  EXPECT_EQ(out.patch().kind(), pb::Patch::KIND_DELETE);
  EXPECT_EQ(out.patch().json(), "");
  out = EncodeDirective(5, {6, PodWaits{"u-7", "team", "p", Time{0}, "WaitingForGang", "m"}});
  EXPECT_EQ(out.patch().kind(), pb::Patch::KIND_STRATEGIC);
  EXPECT_EQ(out.patch().target().group(), "");
  EXPECT_EQ(out.patch().target().resource(), "pods");
  EXPECT_EQ(out.patch().subresource(), "status");
}

TEST(DurationText, InTwoUnitsAtMost) {
  EXPECT_EQ(DurationText(Duration{850}), "850ms");
  EXPECT_EQ(DurationText(Duration::Seconds(42)), "42s");
  EXPECT_EQ(DurationText(Duration::Seconds(119)), "119s");
  EXPECT_EQ(DurationText(Duration::Seconds(200)), "3m20s");
  EXPECT_EQ(DurationText(Duration::Minutes(310)), "5h10m");
  EXPECT_EQ(DurationText(Duration::Minutes(76 * 60)), "3d4h");
}

}  // namespace
}  // namespace phalanx::wire

// Views of the engine as messages of InspectService.
#include "wire/inspect.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace phalanx::wire {
namespace {

GangView Waiting() {
  GangView gang;
  gang.key = {"team", "label", "train"};
  gang.phase = GangPhase::kQueued;
  gang.size = gang.min = 4;
  gang.present = 4;
  gang.devices = 32;
  gang.position = 2;
  gang.waits_since.ms = 1'700'000'000'001;
  gang.first_seen.ms = 1'700'000'000'000;
  gang.reason.code = ReasonCode::kCapacity;
  gang.reason.have = 3;
  gang.reason.need = 4;
  gang.reason.exclusions = {{ExclusionCause::kTaint, "gpu=yes:NoSchedule", 7}};
  gang.explanation = "3 of 4 members fit";
  gang.members = {{"u0", "train-0", "worker", "seen", "", -1}};
  return gang;
}

TEST(EncodeGang, AWaitingGangHasItsReason) {
  const pb::Gang gang = EncodeGang(Waiting());
  EXPECT_EQ(gang.phase(), "queued");
  EXPECT_EQ(gang.namespace_(), "team");
  EXPECT_EQ(gang.position(), 2);
  EXPECT_EQ(gang.waits_since_ms(), 1'700'000'000'001);
  EXPECT_EQ(gang.reason().code(), "capacity");
  EXPECT_EQ(gang.reason().message(), "3 of 4 members fit");
  EXPECT_EQ(gang.reason().exclusions(0).cause(), "taint");
  EXPECT_EQ(gang.reason().exclusions(0).nodes(), 7);
  EXPECT_EQ(gang.members(0).state(), "seen");
  EXPECT_FALSE(gang.members(0).has_rank());
  EXPECT_FALSE(gang.has_plan());
  EXPECT_FALSE(gang.has_started_ms());
}

TEST(EncodeGang, ARunningGangHasNoPosition) {
  GangView view = Waiting();
  view.phase = GangPhase::kRunning;
  view.position = 0;
  view.reason = {};
  view.members[0].rank = 0;
  const pb::Gang gang = EncodeGang(view);
  EXPECT_FALSE(gang.has_position());
  EXPECT_FALSE(gang.has_waits_since_ms());
  EXPECT_FALSE(gang.has_reason());
  EXPECT_TRUE(gang.members(0).has_rank());
}

TEST(EncodeNode, HasItsPathAndQuantities) {
  const pb::HostNode node =
      EncodeNode({"n1", {"zone-a", ""}, true, false, {{"nvidia.com/gpu", 8}}, {}, {{"cpu", 1}}});
  EXPECT_EQ(node.path_size(), 2);
  EXPECT_EQ(node.allocatable().at("nvidia.com/gpu"), 8);
  EXPECT_EQ(node.held().at("cpu"), 1);
}

TEST(EncodeExplanation, SaysVerdictAndWhatItWaitsFor) {
  GangView gang = Waiting();
  pb::ExplainGangResponse out = EncodeExplanation(gang);
  EXPECT_EQ(out.verdict(), "notNow");
  EXPECT_EQ(out.waits_for(), "room");
  EXPECT_EQ(out.message(), "3 of 4 members fit");
  EXPECT_EQ(out.gang().members_size(), 0);
  EXPECT_EQ(out.gang().reason().have(), 3);
  gang.reason.never = true;
  EXPECT_EQ(EncodeExplanation(gang).verdict(), "never");
  gang.phase = GangPhase::kDone;
  EXPECT_EQ(EncodeExplanation(gang).verdict(), "ended");
  gang.phase = GangPhase::kRunning;
  gang.reason = {};
  out = EncodeExplanation(gang);
  EXPECT_EQ(out.verdict(), "fits");
  EXPECT_EQ(out.waits_for(), "nothing");
  EXPECT_EQ(out.message(), "it waits for nothing: it is running");
}

TEST(EncodeHelp, HasNumbersAndWords) {
  HelpView view;
  view.levels.push_back({"nvlink", "r1/n1", 14, 16, 18, {{{"team", "label", "train"}, 2, {}}}});
  view.helps.push_back({.kind = HelpKind::kMoreRoom, .level = "nvlink", .domain = "r1/n1"});
  view.helps.back().amount = 2;
  view.helps.back().hosts = 1;
  const pb::WhatHelps out = EncodeHelp(view);
  EXPECT_EQ(out.levels(0).message(),
            "nvlink: best r1/n1 has room for 14 of 16, for 18 when empty; 2 held by team/train");
  EXPECT_EQ(out.levels(0).held_by(0).members(), 2);
  EXPECT_FALSE(out.levels(0).held_by(0).has_until_ms());
  EXPECT_EQ(out.changes(0).kind(), "moreRoom");
  EXPECT_EQ(out.changes(0).message(),
            "with room for 2 more members in nvlink r1/n1: 1 empty host at least");
  EXPECT_FALSE(out.changes(0).has_gang());
}

TEST(EncodeExplanation, EveryReasonWaitsForSomething) {
  const std::set<std::string_view> words = {
      "members",  "gate",    "correction", "room",      "nodes",  "time", "planning",
      "snapshot", "nothing", "eviction",   "scheduler", "object", "queue"};
  for (int i = 0; i <= static_cast<int>(ReasonCode::kRollingBack); ++i) {
    EXPECT_TRUE(words.contains(WaitsFor(static_cast<ReasonCode>(i)))) << i;
  }
}

}  // namespace
}  // namespace phalanx::wire

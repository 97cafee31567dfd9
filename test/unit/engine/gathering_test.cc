// What keeps a gang from being planned: who is missing, and what is wrong with its members.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GatheringTest : public ::testing::Test {
 protected:
  GatheringTest() {
    rig.SetNodes({MakeNode("n1", 8)});
    rig.Start();
  }
  std::vector<PodEvent> Warnings() const {
    std::vector<PodEvent> out;
    for (const PodEvent& event : rig.Sent<PodEvent>()) {
      if (event.warning) out.push_back(event);
    }
    return out;
  }
  Rig rig;
};

// GB-15
TEST_F(GatheringTest, StartsWithTheLastMember) {
  for (int i = 0; i < 4; ++i) {
    rig.AddPods({MakeMember({.size = 5}, i)});
    rig.Run();
    EXPECT_EQ(rig.View("train").phase, GangPhase::kGathering);
    EXPECT_EQ(rig.View("train").reason.have, i + 1);
    EXPECT_EQ(rig.View("train").reason.need, 5);
  }
  EXPECT_THAT(rig.Sent<Admit>(), IsEmpty());
  EXPECT_EQ(rig.Answer("team-a/train-0").kind, AnswerKind::kHeld);
  EXPECT_EQ(rig.Answer("team-a/train-0").reason, "MembersMissing");
  rig.AddPods({MakeMember({.size = 5}, 4)});
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

// GB-12
TEST_F(GatheringTest, GatedMembersDoNotCount) {
  rig.UpdateNode(MakeNode("n1", 4));
  std::vector<PodObject> pods = MakeGang({.size = 4});
  pods[2].gates = {"example.com/quota"};
  pods.push_back(MakeMember({.name = "behind", .gpus = 4, .created_s = 50}, 0));
  rig.AddPods(pods);
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kGathering);
  EXPECT_EQ(view.reason.code, ReasonCode::kMembersGated);
  EXPECT_THAT(view.explanation, HasSubstr("3 of 4, 1 gated"));
  EXPECT_THAT(view.explanation, HasSubstr("example.com/quota"));
  EXPECT_EQ(rig.View("behind").phase, GangPhase::kRunning);
  rig.EndPod("team-a/behind-0", PodPhase::kSucceeded);
  pods[2].gates.clear();
  rig.UpdatePod(pods[2]);
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(GatheringTest, DisagreementNamesBothSides) {
  rig.AddPods({MakeMember({.size = 2}, 0), MakeMember({.size = 3}, 1)});
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kMembersDisagree);
  EXPECT_THAT(view.explanation, HasSubstr("gang size"));
  EXPECT_THAT(view.explanation, HasSubstr("\"2\" of team-a/train-0"));
  EXPECT_THAT(view.explanation, HasSubstr("\"3\" of team-a/train-1"));
  rig.Advance(Duration::Seconds(6));
  ASSERT_THAT(Warnings(), SizeIs(2));
  EXPECT_EQ(Warnings()[0].reason, "InvalidGang");
  // The latest object wins.
  rig.UpdatePod(MakeMember({.size = 2}, 1));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(GatheringTest, DisagreementOnPriorityAndLevels) {
  rig.AddPods({MakeMember({.name = "a", .size = 2}, 0),
               MakeMember({.name = "a", .size = 2, .priority = 7}, 1),
               MakeMember({.name = "b", .size = 2, .required_level = "rack"}, 0),
               MakeMember({.name = "b", .size = 2, .required_level = "zone"}, 1)});
  rig.Run();
  EXPECT_EQ(rig.View("a").reason.subject, "priority");
  EXPECT_EQ(rig.View("b").reason.subject, "required topology level");
}

TEST_F(GatheringTest, ProblemsOfAMemberStopItsGangOnly) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  pods[1].membership->problems = {
      {"metadata.labels[phalanx.dev/gang-size]", "many", "a whole number from 1 to 10000"}};
  pods.push_back(MakeMember({.name = "fine"}, 0));
  rig.AddPods(pods);
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kInvalid);
  EXPECT_THAT(view.explanation, HasSubstr("gang-size"));
  EXPECT_THAT(view.explanation, HasSubstr("\"many\""));
  EXPECT_THAT(view.explanation, HasSubstr("a whole number from 1 to 10000"));
  rig.Advance(Duration::Seconds(6));
  EXPECT_THAT(Warnings(), SizeIs(2));
  EXPECT_EQ(rig.View("fine").phase, GangPhase::kRunning);
  // Each is told once, also when it is sent again.
  rig.UpdatePod(pods[1]);
  rig.Advance(Duration::Seconds(6));
  EXPECT_THAT(Warnings(), SizeIs(2));
}

TEST_F(GatheringTest, AbsurdNumbersAreProblems) {
  std::vector<PodObject> pods = {MakeMember({.name = "zero"}, 0), MakeMember({.name = "huge"}, 0),
                                 MakeMember({.name = "min", .size = 2}, 0)};
  pods[0].membership->size = 0;
  pods[1].membership->size = 10'001;
  pods[2].membership->min = 3;
  rig.AddPods(pods);
  rig.Run();
  for (const char* name : {"zero", "huge", "min"}) {
    EXPECT_EQ(rig.View(name).reason.code, ReasonCode::kInvalid) << name;
  }
  EXPECT_THAT(rig.View("huge").explanation, HasSubstr("10001"));
}

TEST_F(GatheringTest, GangsNeverMixNamespaces) {
  PodObject thief = MakeMember({.size = 2, .ns = "team-b"}, 1);
  thief.membership->gang.ns = "team-a";
  rig.AddPods({MakeMember({.size = 2}, 0), thief});
  rig.Run();
  EXPECT_THAT(rig.engine.Gangs(), SizeIs(2));
  EXPECT_EQ(rig.engine.Gang({"team-a", "label", "train"})->reason.code,
            ReasonCode::kMembersMissing);
  EXPECT_EQ(rig.engine.Gang({"team-b", "label", "train"})->reason.code, ReasonCode::kInvalid);
}

TEST_F(GatheringTest, ExtrasAreHeldWithAReason) {
  rig.AddPods({MakeMember({.size = 2}, 0), MakeMember({.size = 2}, 1), MakeMember({.size = 2}, 2)});
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").bound, 2);
  EXPECT_EQ(rig.Answer("team-a/train-2").kind, AnswerKind::kHeld);
  EXPECT_EQ(rig.Answer("team-a/train-2").reason, "ExtraMember");
  rig.Advance(Duration::Seconds(6));
  ASSERT_THAT(Warnings(), SizeIs(1));
  EXPECT_EQ(Warnings()[0].reason, "ExtraMember");
  EXPECT_EQ(Warnings()[0].pod_uid, "team-a/train-2");
}

TEST_F(GatheringTest, PodWithDevicesAndNoGangIsAGangOfOne) {
  PodObject pod = MakeMember({.name = "solo"}, 0);
  pod.membership.reset();
  rig.AddPods({pod});
  rig.Run();
  const auto view = rig.engine.Gang({"team-a", "pod", "solo-0"});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->phase, GangPhase::kRunning);
}

TEST_F(GatheringTest, PodWithoutDevicesAndGangIsLoose) {
  PodObject pod = MakeMember({.name = "web"}, 0);
  pod.membership.reset();
  pod.requests.erase(kGpu);
  rig.AddPods({pod});
  EXPECT_EQ(rig.Answer(pod.uid).kind, AnswerKind::kLoose);
  EXPECT_THAT(rig.engine.Gangs(), IsEmpty());
  rig.RemovePod(pod.uid);
  EXPECT_EQ(rig.Answer(pod.uid).kind, AnswerKind::kUnknown);
}

TEST_F(GatheringTest, ForeignPodsAreCountedOnly) {
  rig.UpdatePod(MakeForeign("busy", "n1", 5));
  EXPECT_EQ(rig.engine.Nodes()[0].bound.at(kGpu), 5);
  EXPECT_THAT(rig.engine.Gangs(), IsEmpty());
  EXPECT_EQ(rig.Answer("other/busy").kind, AnswerKind::kUnknown);
  rig.EndPod("other/busy", PodPhase::kSucceeded);
  EXPECT_EQ(rig.engine.Nodes()[0].bound.count(kGpu), 0u);
}

TEST_F(GatheringTest, SharedLateObjectsAreRefusedWithAReason) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  for (PodObject& pod : pods) pod.unresolved_objects = {"claim/shared", "claim/shared"};
  PodObject alone = MakeMember({.name = "alone"}, 0);
  alone.unresolved_objects = {"pvc/own", "pvc/own"};
  pods.push_back(alone);
  rig.AddPods(pods);
  rig.Run();
  EXPECT_EQ(rig.View("alone").phase, GangPhase::kRunning);
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kLateObjects);
  EXPECT_THAT(view.explanation, HasSubstr("claim/shared"));
  for (int i = 0; i < 2; ++i) {
    pods[i].unresolved_objects.clear();
    rig.UpdatePod(pods[i]);
  }
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(GatheringTest, SameNameWithNewUidIsANewMember) {
  rig.AddPods({MakeMember({.size = 2}, 0)});
  PodObject again = MakeMember({.size = 2}, 0);
  again.uid = "second-life";
  rig.RemovePod("team-a/train-0");
  EXPECT_THAT(rig.engine.Gangs(), IsEmpty());
  rig.AddPods({again, MakeMember({.size = 2}, 1)});
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(GatheringTest, APodMayChangeItsGang) {
  rig.AddPods({MakeMember({.name = "a", .size = 2}, 0), MakeMember({.name = "b"}, 1)});
  rig.Run();
  PodObject moved = MakeMember({.name = "a", .size = 2}, 0);
  moved.membership->gang.name = "b";
  moved.membership->size = moved.membership->min = 1;
  rig.UpdatePod(moved);
  EXPECT_FALSE(rig.engine.Gang({"team-a", "label", "a"}));
}

TEST_F(GatheringTest, UnknownThingsAreCountedAndChangeNothing) {
  const uint64_t before = rig.engine.Digest();
  rig.Send(MemberFact{.pod_uid = "nobody", .plan = 1, .state = MemberState::kBound});
  rig.Send(Changes{.removed_nodes = {"n9"}, .removed_pods = {"nobody"}});
  rig.Send(Connect{1, "old"});
  rig.Send(SyncDone{});
  EXPECT_EQ(rig.engine.Digest(), before);
  const StatsView stats = rig.engine.TakeStats();
  EXPECT_EQ(stats.refused_input.at("unknown pod"), 2);
  EXPECT_EQ(stats.refused_input.at("unknown node"), 1);
  EXPECT_EQ(stats.refused_input.at("old epoch"), 1);
  EXPECT_EQ(stats.refused_input.at("unexpected end of snapshot"), 1);
}

}  // namespace
}  // namespace phalanx::test

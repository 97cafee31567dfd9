// What the members of a gang are told: one event and one condition, once, and not too early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class TellTest : public ::testing::Test {
 protected:
  TellTest() {
    rig.SetNodes({MakeNode("n1", 4)});
    rig.Start();
  }
  // How many events each pod got.
  std::map<std::string, int> Events() const {
    std::map<std::string, int> out;
    for (const PodEvent& event : rig.Sent<PodEvent>()) ++out[event.pod_uid];
    return out;
  }
  std::map<std::string, int> Conditions() const {
    std::map<std::string, int> out;
    for (const PodWaits& waits : rig.Sent<PodWaits>()) ++out[waits.pod_uid];
    return out;
  }
  Rig rig;
};

TEST_F(TellTest, NothingWhereItStartsWithinFiveSeconds) {
  rig.AddPods(MakeGang({.name = "blocker", .gpus = 4}));
  rig.Run();
  rig.AddPods(MakeGang({.size = 2, .gpus = 2}));
  rig.Advance(Duration{4'900});
  rig.EndPod("team-a/blocker-0", PodPhase::kSucceeded);
  rig.Advance(Duration::Minutes(5));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_THAT(rig.Sent<PodEvent>(), IsEmpty());
  EXPECT_THAT(rig.Sent<PodWaits>(), IsEmpty());
}

TEST_F(TellTest, EachWaitingMemberOnceAndWhereToLook) {
  rig.AddPods(MakeGang({.size = 3, .gpus = 4}));
  rig.Advance(Duration::Minutes(30));
  EXPECT_THAT(Events(), AllOf(SizeIs(3), Each(Pair(::testing::_, 1))));
  EXPECT_THAT(Conditions(), AllOf(SizeIs(3), Each(Pair(::testing::_, 1))));
  const PodEvent event = rig.Sent<PodEvent>()[0];
  EXPECT_EQ(event.reason, "WaitingForGang");
  EXPECT_FALSE(event.warning);
  EXPECT_THAT(event.message, HasSubstr("kubectl -n team-a describe gang train.label"));
  EXPECT_THAT(event.message, HasSubstr("1 of 3 members placeable"));
  const PodWaits waits = rig.Sent<PodWaits>()[0];
  EXPECT_EQ(waits.reason, "WaitingForGang") << "Unschedulable would wake autoscalers";
  EXPECT_THAT(waits.message, HasSubstr("kubectl -n team-a describe gang train.label"));
  EXPECT_EQ(waits.since, Time{1'005'000});
}

// The five seconds begin when the gang is complete, if its last member came late.
TEST_F(TellTest, CompletionBeginsTheWaitAnew) {
  rig.AddPods(MakeGang({.name = "blocker", .gpus = 4}));
  rig.Run();
  rig.AddPods({MakeMember({.size = 2, .gpus = 2}, 0)});
  rig.Advance(Duration::Seconds(4));
  rig.AddPods({MakeMember({.size = 2, .gpus = 2}, 1)});
  rig.Advance(Duration::Seconds(4));
  rig.EndPod("team-a/blocker-0", PodPhase::kSucceeded);
  rig.Advance(Duration::Minutes(1));
  EXPECT_THAT(rig.Sent<PodEvent>(), IsEmpty());
}

TEST_F(TellTest, MembersOfAnIncompleteGangAreTold) {
  rig.AddPods({MakeMember({.size = 2}, 0)});
  rig.Advance(Duration::Seconds(6));
  ASSERT_THAT(rig.Sent<PodEvent>(), SizeIs(1));
  EXPECT_THAT(rig.Sent<PodEvent>()[0].message, HasSubstr("1 of 2 members are there"));
}

TEST_F(TellTest, GatedMembersAreLeftToTheirGate) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  pods[1].gates = {"example.com/quota"};
  rig.AddPods(pods);
  rig.Advance(Duration::Minutes(1));
  EXPECT_THAT(Events(), SizeIs(1));
  EXPECT_EQ(Events().count("team-a/train-0"), 1u);
}

TEST_F(TellTest, MembersThatComeLaterAreToldToo) {
  rig.AddPods({MakeMember({.size = 3}, 0)});
  rig.Advance(Duration::Minutes(1));
  rig.AddPods({MakeMember({.size = 3}, 1)});
  rig.Advance(Duration::Minutes(1));
  EXPECT_THAT(Events(), AllOf(SizeIs(2), Each(Pair(::testing::_, 1))));
}

TEST_F(TellTest, WhatThePodSaysAlreadyIsNotSaidAgain) {
  std::vector<PodObject> pods = MakeGang({.size = 2, .gpus = 4});
  pods[0].told = true;
  rig.AddPods(pods);
  rig.Advance(Duration::Minutes(1));
  EXPECT_THAT(Events(), SizeIs(1));
  EXPECT_EQ(Events().count("team-a/train-1"), 1u);
}

// A gang that was rolled back and waits again has told its members before.
TEST_F(TellTest, AFailedStartTellsNobodyTwice) {
  rig.AddPods(MakeGang({.size = 2, .gpus = 4}));
  rig.Advance(Duration::Seconds(10));
  EXPECT_THAT(Events(), SizeIs(2));
  rig.refuse_pod["team-a/train-0"] = "Quota";
  rig.UpdateNode(MakeNode("n2", 4));
  rig.Advance(Duration::Minutes(5));
  EXPECT_THAT(Events(), AllOf(SizeIs(2), Each(Pair(::testing::_, 1))));
}

TEST_F(TellTest, TheAuthorOfAnInvalidGangIsWarned) {
  rig.AddPods({MakeMember({.size = 2}, 0), MakeMember({.size = 3}, 1)});
  rig.Advance(Duration::Seconds(6));
  ASSERT_THAT(rig.Sent<PodEvent>(), SizeIs(2));
  EXPECT_EQ(rig.Sent<PodEvent>()[0].reason, "InvalidGang");
  EXPECT_TRUE(rig.Sent<PodEvent>()[0].warning);
}

// With more members than tokens every gang is heard before any is heard twice.
TEST_F(TellTest, TheFirstMembersOfAllGangsComeFirst) {
  Rig slow({.status_writes_per_second = 2});
  slow.SetNodes({MakeNode("n1", 1)});
  slow.Start();
  for (const char* name : {"a", "b", "c"}) {
    slow.AddPods(MakeGang({.name = name, .size = 4, .gpus = 8}));
  }
  slow.Advance(Duration::Minutes(2));
  const std::vector<PodEvent> events = slow.Sent<PodEvent>();
  ASSERT_THAT(events, SizeIs(12));
  std::map<std::string, int> first;
  for (int i = 0; i < 3; ++i) ++first[events[i].pod_name.substr(0, 1)];
  EXPECT_THAT(first, SizeIs(3));
}

TEST_F(TellTest, PodsThatCantBeReadAreToldOnce) {
  const RefusedPod pod{"uid", "team-a", "web", "spec.affinity is 'x', expected y"};
  for (int i = 0; i < 3; ++i) rig.Send(Changes{.refused_pods = {pod}});
  rig.Advance(Duration::Seconds(1));
  ASSERT_THAT(rig.Sent<PodEvent>(), SizeIs(1));
  EXPECT_EQ(rig.Sent<PodEvent>()[0].reason, "InvalidInput");
  EXPECT_EQ(rig.Sent<PodEvent>()[0].message, pod.what);
  RefusedPod other = pod;
  other.what = "spec.affinity is 'z', expected y";
  rig.Send(Changes{.refused_pods = {other}});
  rig.Advance(Duration::Seconds(1));
  EXPECT_THAT(rig.Sent<PodEvent>(), SizeIs(2));
}

}  // namespace
}  // namespace phalanx::test

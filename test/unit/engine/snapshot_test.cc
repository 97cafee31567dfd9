// Epochs: restarts of adapter and brain at each step of a start, leadership.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const char kA[] = "team-a/train-0";
const char kB[] = "team-a/train-1";

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() { rig.SetNodes({MakeNode("n1", 1), MakeNode("n2", 1)}); }
  // Connect and the objects, without the end.
  void Reconnect() {
    rig.Send(Connect{++rig.epoch, "next"});
    Changes snapshot;
    for (const auto& [name, node] : rig.nodes) snapshot.nodes.push_back(node);
    for (const auto& [uid, pod] : rig.pods) snapshot.pods.push_back(pod);
    rig.Send(snapshot);
    rig.Send(Leadership{true});
  }
  // One member bound under a plan of an earlier epoch, one not.
  void HalfBound(const std::string& owner_kind = "Job") {
    std::vector<PodObject> pods = MakeGang({.size = 2});
    pods[0].node = "n1";
    pods[0].phase = PodPhase::kRunning;
    pods[0].bound_plan = BoundPlan{55, 1};
    for (PodObject& pod : pods) pod.owner.kind = owner_kind;
    rig.SetPods(pods);
  }
  // A half-bound gang without room for its second member, half a minute after a brain has met it.
  void ReplacedAt(Time made, Time first_binding) {
    HalfBound();
    rig.pods.at(kA).bound = first_binding;
    rig.pods.at(kB).created = made;
    rig.SetPods({MakeForeign("thief", "n2", 1)});
    rig.Start();
    rig.Advance(Duration::Seconds(30));
  }
  Rig rig;
};

TEST_F(SnapshotTest, NothingIsDecidedBeforeSyncDone) {
  rig.SetPods(MakeGang({.size = 2}));
  Reconnect();
  EXPECT_FALSE(rig.engine.synced());
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Send(PlanSlice{1000});
  EXPECT_THAT(rig.Sent<Admit>(), IsEmpty());
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kSyncing);
  rig.Send(SyncDone{});
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(SnapshotTest, WhatIsNotSentAgainIsGone) {
  rig.SetPods({MakeForeign("busy", "n1", 1)});
  rig.Start();
  rig.AddPods(MakeGang({.size = 2}));
  rig.nodes.erase("n2");
  rig.nodes["n3"] = MakeNode("n3", 2);
  rig.pods.erase("other/busy");
  rig.pods.erase(kB);
  rig.Start();
  EXPECT_THAT(rig.engine.Nodes(), SizeIs(2));
  EXPECT_EQ(rig.engine.Nodes()[0].bound.count(kGpu), 0u);
  EXPECT_EQ(rig.View("train").present, 1);
}

TEST_F(SnapshotTest, BarrierIsForgottenWithItsHolds) {
  rig.Start();
  rig.manual = true;
  rig.AddPods(MakeGang({.size = 2}));
  rig.Plan();
  rig.Fact(kA, MemberState::kReserved);
  rig.Start();
  EXPECT_EQ(rig.Answer(kA).kind, AnswerKind::kHeld);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kQueued);
  rig.Plan();
  ASSERT_THAT(rig.Sent<Admit>(), SizeIs(2));
  EXPECT_EQ(rig.Sent<Admit>()[1].plan, (uint64_t{2} << kPlanBits) + 1);
  EXPECT_EQ(rig.log.back().sequence, 1u);
}

// The same adapter reconnects while members of the older plan wait in a barrier.
TEST_F(SnapshotTest, MembersOfAnOlderPlanAreToldToLeave) {
  rig.SetPods(MakeGang({.size = 2}));
  Reconnect();
  rig.Send(MemberFact{kA, 33, "n1", MemberState::kReserved});
  rig.Send(MemberFact{kB, 33, "n2", MemberState::kPrepared});
  rig.manual = true;
  rig.Send(SyncDone{});
  ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
  EXPECT_EQ(rig.Sent<Reject>()[0].plan, 33u);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Send(MemberFact{kA, 33, "n1", MemberState::kReturned});
  rig.Send(MemberFact{kB, 33, "n2", MemberState::kReturned});
  EXPECT_TRUE(rig.engine.HasPlanningWork());
}

TEST_F(SnapshotTest, GangThatWasMidBindGoesOn) {
  HalfBound();
  Reconnect();
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kBinding});
  rig.Send(SyncDone{});
  EXPECT_EQ(rig.View("train").phase, GangPhase::kStarting);
  EXPECT_EQ(rig.View("train").plan, 55u);
  EXPECT_EQ(rig.Answer(kB).kind, AnswerKind::kReleased);
  EXPECT_EQ(rig.Answer(kB).node, "n2");
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kBound});
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRunning);
  EXPECT_EQ(view.members[0].rank, 1);
  EXPECT_EQ(view.members[1].rank, 0);
}

// The rank of a recalled member is guessed until its pod tells what the Binding wrote.
TEST_F(SnapshotTest, RankOfARecalledMemberIsReadFromItsBinding) {
  std::vector<PodObject> pods = MakeGang({.size = 3});
  pods[0].node = "n1";
  pods[0].bound_plan = BoundPlan{55, 1};
  rig.SetPods(pods);
  rig.nodes["n3"] = MakeNode("n3", 1);
  Reconnect();
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kBinding});
  rig.Send(MemberFact{"team-a/train-2", 55, "n3", MemberState::kBinding});
  rig.Send(SyncDone{});
  EXPECT_EQ(rig.View("train").members[1].rank, 0);
  PodObject pod = rig.Pod(kB);
  pod.node = "n2";
  pod.bound_plan = BoundPlan{55, 2};
  rig.UpdatePod(pod);
  EXPECT_EQ(rig.View("train").members[1].rank, 2);
}

TEST_F(SnapshotTest, FinishedGangIsKnownAfterARestart) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  for (PodObject& pod : pods) {
    pod.node = "n1";
    pod.phase = PodPhase::kSucceeded;
  }
  rig.SetPods(pods);
  rig.Start();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kDone);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kNone);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
}

TEST_F(SnapshotTest, GangThatWasMidBindRollsBack) {
  HalfBound();
  Reconnect();
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kBinding});
  rig.Send(SyncDone{});
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kBindRefused, 422, "policy"});
  rig.Send(MemberFact{kB, 55, "n2", MemberState::kReturned});
  rig.Run();
  ASSERT_THAT(rig.Sent<Evict>(), SizeIs(1));
  EXPECT_EQ(rig.Sent<Evict>()[0].pod_uid, kA);
}

TEST_F(SnapshotTest, PartBoundGangIsMadeWhole) {
  HalfBound();
  rig.Start();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.Pod(kB).node, "n2");
  EXPECT_EQ(rig.Sent<Admit>()[0].members[0].rank, 0);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(SnapshotTest, PartBoundGangWithoutRoomRollsBackInTime) {
  HalfBound();
  rig.SetPods({MakeForeign("thief", "n2", 1)});
  rig.Start();
  rig.Advance(Duration::Seconds(24));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  rig.Advance(Duration::Seconds(2));
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(1));
  EXPECT_EQ(rig.BoundIn("train"), 0);
}

// The waiting member is younger than the bound one: a replacement. Survivors are kept.
TEST_F(SnapshotTest, RunningGangThatLostAMemberIsNotRolledBack) {
  HalfBound();
  rig.pods.at(kB).created = Time{60'000};
  rig.SetPods({MakeForeign("thief", "n2", 1)});
  rig.Start();
  rig.Advance(Duration::Minutes(60));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

// A start that lost a member has its replacement soon after its first Binding. Another brain than
// the one that was at work on it keeps to the bound as well.
TEST_F(SnapshotTest, ReplacementSoonAfterTheBindingsBelongsToTheStart) {
  ReplacedAt(Time{85'000}, Time{60'000});
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(1));
}

TEST_F(SnapshotTest, LaterReplacementBelongsToARunningGang) {
  ReplacedAt(Time{85'001}, Time{60'000});
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(SnapshotTest, WithoutATimeOfBindingTheReplacementBelongsToARunningGang) {
  ReplacedAt(Time{1'000}, Time{0});
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

// The brain that saw it whole knows better.
TEST_F(SnapshotTest, GangThatWasWholeIsNoCutStartForTheSameBrain) {
  rig.SetPods(MakeGang({.size = 2}));
  rig.Start();
  rig.Run();
  ASSERT_EQ(rig.View("train").phase, GangPhase::kRunning);
  rig.EndPod(kB, PodPhase::kFailed);
  for (const char* uid : {kA, kB}) rig.pods.at(uid).bound = Time{60'000};
  PodObject replacement = MakeMember({.size = 2, .created_s = 70}, 9);
  rig.SetPods({replacement, MakeForeign("thief", "n2", 1)});
  rig.Start();
  rig.Advance(Duration::Minutes(60));
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(SnapshotTest, DisconnectStopsAdmissions) {
  rig.Start();
  rig.Send(Disconnect{});
  rig.AddPods(MakeGang({.size = 2}));
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Start();
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(SnapshotTest, FollowerAdmitsNothing) {
  rig.Start();
  rig.Send(Leadership{false});
  rig.AddPods(MakeGang({.size = 2}));
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Send(Leadership{true});
  EXPECT_TRUE(rig.engine.HasPlanningWork());
}

TEST_F(SnapshotTest, LosingTheLeadWithdrawsWhatIsNotReleasedForBind) {
  rig.Start();
  rig.manual = true;
  rig.AddPods(MakeGang({.size = 2}));
  rig.Plan();
  rig.Send(Leadership{false});
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(1));
}

TEST_F(SnapshotTest, RestartOfTheBrainFindsRunningGangs) {
  rig.Start();
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  Rig second;
  second.nodes = rig.nodes;
  second.pods = rig.pods;
  second.epoch = 10;
  second.Start();
  EXPECT_EQ(second.View("train").phase, GangPhase::kRunning);
  EXPECT_FALSE(second.engine.HasPlanningWork());
  EXPECT_THAT(second.log, IsEmpty());
}

}  // namespace
}  // namespace phalanx::test

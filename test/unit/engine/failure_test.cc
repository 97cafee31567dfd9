// What happens when a start goes wrong, at each step, and when a running gang loses a member.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char kA[] = "team-a/train-0";
const char kB[] = "team-a/train-1";

class FailureTest : public ::testing::Test {
 protected:
  // Two nodes of one device, and a third that is taken until FreeSpare().
  FailureTest() {
    rig.SetNodes({MakeNode("n1", 1), MakeNode("n2", 1), MakeNode("n3", 1)});
    rig.SetPods({MakeForeign("busy", "n3", 1)});
    rig.Start();
  }
  void FreeSpare() { rig.EndPod("other/busy", PodPhase::kSucceeded); }
  void AdmitPair() {
    rig.manual = true;
    rig.AddPods(MakeGang({.size = 2}));
    rig.Plan();
    ASSERT_THAT(rig.Sent<Admit>(), SizeIs(1));
  }
  void Facts(MemberState state) {
    rig.Fact(kA, state);
    rig.Fact(kB, state);
  }
  void ExpectWithdrawn(const std::string& why) {
    ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
    EXPECT_EQ(rig.Sent<Reject>()[0].plan, rig.Sent<Admit>()[0].plan);
    EXPECT_THAT(rig.Sent<Reject>()[0].reason, HasSubstr(why));
    EXPECT_EQ(rig.Answer(kA).kind, AnswerKind::kHeld);
    EXPECT_EQ(rig.View("train").plan, 0u);
  }
  int64_t Held() const {
    int64_t sum = 0;
    for (const NodeView& node : rig.engine.Nodes()) {
      auto it = node.held.find(kGpu);
      if (it != node.held.end()) sum += it->second;
    }
    return sum;
  }
  Rig rig;
};

// The scheduler counts a pod until it has forgotten it: so do we.
TEST_F(FailureTest, RoomIsFreeOnlyWhenTheMemberReturned) {
  AdmitPair();
  Facts(MemberState::kReserved);
  rig.Send(Conflict{kA, rig.Sent<Admit>()[0].plan, "n1", "NodeResourcesFit", "too few"});
  ExpectWithdrawn("NodeResourcesFit");
  EXPECT_EQ(Held(), 2);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kReturning);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Fact(kA, MemberState::kReturned);
  EXPECT_EQ(Held(), 1);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Fact(kB, MemberState::kReturned);
  EXPECT_EQ(Held(), 0);
  EXPECT_TRUE(rig.engine.HasPlanningWork());
}

TEST_F(FailureTest, RefusedNodeIsLeftOutForAWhile) {
  rig.refuse_node["n1"] = "NodeAffinity";
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kQueued);
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(1));
  EXPECT_EQ(rig.engine.TakeStats().conflicts.at("NodeAffinity"), 1);
  FreeSpare();
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.Pod(kA).node, "n2");
}

TEST_F(FailureTest, ExclusionsEnd) {
  rig.refuse_node["n1"] = "NodeAffinity";
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.refuse_node.clear();
  rig.Advance(Duration::Seconds(29));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kQueued);
  rig.Advance(Duration::Seconds(2));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(FailureTest, RefusedPodExcludesNoNodeAndIsTheReason) {
  rig.refuse_pod[kB] = "VolumeBinding";
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kConflict);
  EXPECT_THAT(view.explanation, HasSubstr("VolumeBinding"));
  EXPECT_THAT(view.explanation, HasSubstr("does not suit"));
  EXPECT_THAT(view.explanation, HasSubstr(kB));
  EXPECT_THAT(view.explanation, HasSubstr("tried again in 10 s"));
  EXPECT_EQ(view.attempts, 1);
  rig.refuse_pod.clear();
  rig.Advance(Duration::Seconds(11));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").attempts, 0);
}

TEST_F(FailureTest, BackOffDoublesUpToTheLast) {
  rig.refuse_pod[kB] = "VolumeBinding";
  rig.AddPods(MakeGang({.size = 2}));
  std::vector<int64_t> waits;
  for (int i = 0; i < 9; ++i) {
    rig.Run();
    waits.push_back(rig.View("train").reason.need);
    rig.Advance(Duration::Seconds(waits.back()));
  }
  EXPECT_THAT(waits, ::testing::ElementsAre(10, 20, 40, 80, 160, 320, 600, 600, 600));
}

TEST_F(FailureTest, ReserveDeadline) {
  rig.never_reserves = {kB};
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kStarting);
  rig.Advance(Duration::Seconds(59));
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
  rig.Advance(Duration::Seconds(2));
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(1));
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kBackoff);
  EXPECT_THAT(view.explanation, HasSubstr("1 of 2 members were not reserved in time"));
  EXPECT_EQ(Held(), 0);
}

TEST_F(FailureTest, PrepareDeadline) {
  rig.never_prepares = {kA};
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.Advance(Duration::Minutes(9));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kStarting);
  rig.Advance(Duration::Minutes(1));
  EXPECT_THAT(rig.View("train").explanation, HasSubstr("1 of 2 members were not prepared in time"));
  EXPECT_EQ(rig.BoundIn("train"), 0);
}

TEST_F(FailureTest, RejectIsSentAgainUntilMembersReturn) {
  rig.never_returns = {kA};
  rig.refuse_node["n1"] = "NodeAffinity";
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.refuse_node.clear();
  rig.Advance(Duration::Seconds(25));
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(3));
  rig.never_returns.clear();
  rig.Advance(Duration::Seconds(10));
  rig.Advance(Duration::Seconds(60));
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(4));
}

TEST_F(FailureTest, MemberDeletedAtEachStep) {
  for (MemberState last :
       {MemberState::kReturned, MemberState::kReserved, MemberState::kPrepared}) {
    Rig fresh;
    fresh.SetNodes({MakeNode("n1", 1), MakeNode("n2", 1)});
    fresh.Start();
    fresh.manual = true;
    fresh.AddPods(MakeGang({.size = 2}));
    fresh.Plan();
    if (last != MemberState::kReturned) fresh.Fact(kB, last);
    fresh.manual = false;
    fresh.DeletePod(kB);
    fresh.Run();
    EXPECT_THAT(fresh.Sent<Reject>(), SizeIs(1));
    EXPECT_THAT(fresh.Sent<Reject>()[0].reason, HasSubstr("team-a/train-1 is deleted"));
    EXPECT_EQ(fresh.BoundIn("train"), 0);
    EXPECT_EQ(fresh.View("train").reason.code, ReasonCode::kMembersMissing);
    fresh.RemovePod(kB);
    PodObject next = MakeMember({.size = 2}, 1);
    next.uid = "replacement";
    fresh.AddPods({next});
    fresh.Run();
    EXPECT_EQ(fresh.View("train").reason.code, ReasonCode::kBackoff);
    fresh.Advance(Duration::Seconds(1));
    EXPECT_EQ(fresh.View("train").phase, GangPhase::kRunning);
  }
}

TEST_F(FailureTest, MemberRemovedWithoutWarning) {
  AdmitPair();
  rig.RemovePod(kB);
  ExpectWithdrawn("team-a/train-1 is gone");
  rig.Fact(kA, MemberState::kReturned);
  EXPECT_EQ(Held(), 0);
}

// Deleted after both barriers opened: the others are bound, and wait for the replacement.
TEST_F(FailureTest, MemberDeletedWhileBinding) {
  AdmitPair();
  Facts(MemberState::kReserved);
  Facts(MemberState::kPrepared);
  rig.DeletePod(kB);
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
  rig.Fact(kA, MemberState::kBound);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kMembersMissing);
  rig.Fact(kB, MemberState::kReturned);
  rig.RemovePod(kB);
  PodObject next = MakeMember({.size = 2, .created_s = 5}, 1);
  next.uid = "replacement";
  rig.manual = false;
  rig.AddPods({next});
  rig.Advance(Duration::Seconds(1));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(FailureTest, PlannedNodeGoesAway) {
  AdmitPair();
  rig.RemoveNode("n2");
  ExpectWithdrawn("node n2 was deleted");
}

TEST_F(FailureTest, PlannedNodeIsRecreatedCordonedOrUnready) {
  for (int what = 0; what < 3; ++what) {
    Rig fresh;
    fresh.SetNodes({MakeNode("n1", 1), MakeNode("n2", 1)});
    fresh.Start();
    fresh.manual = true;
    fresh.AddPods(MakeGang({.size = 2}));
    fresh.Plan();
    NodeObject node = MakeNode("n2", 1);
    if (what == 0) node.uid = "another";
    if (what == 1) node.unschedulable = true;
    if (what == 2) node.ready = false;
    fresh.UpdateNode(node);
    EXPECT_THAT(fresh.Sent<Reject>(), SizeIs(1)) << what;
  }
}

TEST_F(FailureTest, NodeTroubleAfterBothBarriersChangesNothing) {
  AdmitPair();
  Facts(MemberState::kReserved);
  Facts(MemberState::kPrepared);
  NodeObject node = MakeNode("n2", 1);
  node.unschedulable = true;
  rig.UpdateNode(node);
  rig.RemoveNode("n1");
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
}

// GB-21: the node went while the Binding to it was under way; nobody replaces the lost member.
TEST_F(FailureTest, MemberBoundToADeletedNodeIsLostAndTheStartRolledBack) {
  AdmitPair();
  Facts(MemberState::kReserved);
  Facts(MemberState::kPrepared);
  rig.RemoveNode("n2");
  Facts(MemberState::kBound);
  GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRepairing);
  EXPECT_EQ(view.bound, 1);
  EXPECT_EQ(view.members[1].state, "lost");
  EXPECT_EQ(view.started, Time{});
  rig.Advance(Duration::Seconds(24));
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  rig.Advance(Duration::Seconds(2));
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(2));
}

// A node that is made again under its name before its pods are collected has kept them.
TEST_F(FailureTest, LostMemberIsFoundAgainWithItsNode) {
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.RemoveNode("n2");
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kMembersMissing);
  NodeObject again = MakeNode("n2", 1);
  again.uid = "another";
  rig.UpdateNode(again);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").bound, 2);
}

TEST_F(FailureTest, MembersThatComeBackDoNotBringAnotherPlanAtOnce) {
  std::vector<int64_t> waits;
  AdmitPair();
  for (int i = 0; i < 6; ++i) {
    Facts(MemberState::kReturned);
    rig.Plan();
    EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kBackoff);
    waits.push_back(rig.View("train").reason.need);
    rig.Advance(Duration::Seconds(waits.back()));
    EXPECT_THAT(rig.Sent<Admit>(), SizeIs(static_cast<size_t>(i) + 2));
  }
  EXPECT_THAT(waits, ::testing::ElementsAre(1, 2, 4, 8, 10, 10));
}

// The same after both barriers opened.
TEST_F(FailureTest, MembersThatComeBackUnboundDoNotBringAnotherPlanAtOnce) {
  AdmitPair();
  Facts(MemberState::kReserved);
  Facts(MemberState::kPrepared);
  Facts(MemberState::kReturned);
  rig.Plan();
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(1));
  EXPECT_EQ(rig.View("train").reason.need, 1);
}

// The second gang's clock does not run while the scheduler is at work on the first.
TEST_F(FailureTest, ReserveDeadlineRunsFromTheLastProgressOfEarlierPlans) {
  rig.manual = true;
  rig.AddPods(MakeGang({.name = "first", .size = 2}));
  rig.Plan();
  FreeSpare();
  rig.AddPods(MakeGang({.name = "second", .size = 1, .created_s = 5}));
  rig.Plan();
  rig.Advance(Duration::Seconds(50));
  rig.Fact("team-a/first-0", MemberState::kReserved);
  rig.Advance(Duration::Seconds(50));
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
  // Progress of a later plan is none for an earlier one.
  rig.Fact("team-a/second-0", MemberState::kReserved);
  rig.Advance(Duration::Seconds(11));
  ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
  EXPECT_EQ(rig.Sent<Reject>()[0].gang.name, "first");
}

TEST_F(FailureTest, StaleFactsAreCountedOnly) {
  AdmitPair();
  const uint64_t digest = rig.engine.Digest();
  for (MemberState state : {MemberState::kReserved, MemberState::kPrepared,
                            MemberState::kBindRefused, MemberState::kReturned}) {
    rig.Send(MemberFact{.pod_uid = kA, .plan = 77, .node = "n1", .state = state});
  }
  rig.Send(MemberFact{kA, rig.Sent<Admit>()[0].plan, "n2", MemberState::kReserved});
  rig.Send(Conflict{kA, 77, "n1", "X", "stale"});
  EXPECT_EQ(rig.engine.Digest(), digest);
  const StatsView stats = rig.engine.TakeStats();
  EXPECT_EQ(stats.refused_input.at("stale plan"), 5);
  EXPECT_EQ(stats.refused_input.at("node differs from plan"), 1);
}

// A pod that comes back although nobody withdrew its plan.
TEST_F(FailureTest, MemberReturnsUnasked) {
  AdmitPair();
  rig.Fact(kA, MemberState::kReturned, 0, "queue was flushed");
  ExpectWithdrawn("queue was flushed");
  EXPECT_EQ(Held(), 1);
}

TEST_F(FailureTest, MemberBoundBySomebodyElseIsAdopted) {
  AdmitPair();
  rig.manual = false;
  FreeSpare();
  PodObject pod = rig.Pod(kA);
  pod.node = "n3";
  rig.UpdatePod(pod);
  ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
  rig.Advance(Duration::Seconds(1));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.Pod(kA).node, "n3");
}

// A stale copy of the pod arrives after the fact that it was bound.
TEST_F(FailureTest, StaleCopyDoesNotUnbind) {
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.Send(Changes{.pods = {MakeMember({.size = 2}, 0)}});
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("train").bound, 2);
}

}  // namespace
}  // namespace phalanx::test

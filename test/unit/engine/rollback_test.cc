// Bindings that are refused for good, roll back, and members that rejoin a running gang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/owners.h"
#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RollBackTest : public ::testing::Test {
 protected:
  RollBackTest() {
    rig.SetNodes(MakeRacks(2, 4, 1));
    rig.Start();
  }
  Rig rig;
};

// GB-06
TEST_F(RollBackTest, RefusedBindBacksOffAndLetsOthersRun) {
  rig.UpdateNode(MakeNode("rack-0-host-0", 1));
  for (const auto& [name, node] : std::map(rig.nodes)) {
    if (name != "rack-0-host-0") rig.RemoveNode(name);
  }
  rig.refuse_bind["team-a/a-0"] = "denied by webhook gpu-police";
  rig.AddPods({MakeMember({.name = "a"}, 0), MakeMember({.name = "b", .created_s = 5}, 0)});
  rig.Run();
  EXPECT_EQ(rig.View("b").phase, GangPhase::kRunning);
  const GangView a = rig.View("a");
  EXPECT_EQ(a.phase, GangPhase::kQueued);
  EXPECT_EQ(a.reason.code, ReasonCode::kBackoff);
  EXPECT_THAT(a.explanation, HasSubstr("403 denied by webhook gpu-police"));
  EXPECT_EQ(a.attempts, 1);
}

TEST_F(RollBackTest, BoundMembersAreEvictedWhenASiblingIsRefused) {
  rig.refuse_bind["team-a/train-2"] = "denied by policy";
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  ASSERT_THAT(rig.Sent<Evict>(), SizeIs(2));
  EXPECT_THAT(rig.Sent<Evict>()[0].reason, HasSubstr("denied by policy"));
  EXPECT_EQ(rig.BoundIn("train"), 0);
  EXPECT_EQ(rig.View("train").attempts, 1);
  // Its controller makes the evicted pods again; the refusal is gone by then.
  rig.refuse_bind.clear();
  for (int i = 0; i < 2; ++i) {
    PodObject pod = MakeMember({.size = 3}, i);
    pod.uid += "-again";
    rig.AddPods({pod});
  }
  rig.Run();
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kBackoff);
  rig.Advance(Duration::Seconds(11));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.engine.TakeStats().partial_spells, 2);
}

TEST_F(RollBackTest, EvictionsWaitForBindingsUnderWay) {
  rig.refuse_bind["team-a/train-0"] = "denied";
  rig.stuck_binds = {"team-a/train-2"};
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  EXPECT_EQ(rig.BoundIn("train"), 1);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRollingBack);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  rig.Fact("team-a/train-2", MemberState::kBound);
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(2));
}

TEST_F(RollBackTest, BarePodsStayAndTheReasonSaysSo) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  for (PodObject& pod : pods) pod.owner = {};
  rig.refuse_bind["team-a/train-1"] = "denied";
  rig.AddPods(pods);
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRollingBack);
  EXPECT_EQ(view.reason.code, ReasonCode::kRollingBack);
  EXPECT_EQ(view.reason.have, 1);
  EXPECT_THAT(view.explanation, HasSubstr("team-a/train-0 is not evicted"));
  rig.RemovePod("team-a/train-0");
  EXPECT_EQ(rig.View("train").phase, GangPhase::kGathering);
}

TEST_F(RollBackTest, RefusedEvictionIsTriedAgain) {
  rig.refuse_bind["team-a/train-1"] = "denied";
  rig.refuse_evictions = true;
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(1));
  rig.Advance(Duration::Seconds(9));
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(1));
  rig.refuse_evictions = false;
  rig.Advance(Duration::Seconds(2));
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(2));
  EXPECT_EQ(rig.BoundIn("train"), 0);
}

// GB-11
TEST_F(RollBackTest, ReplacementRejoinsAloneInItsDomainAtItsRank) {
  rig.AddPods(MakeGang({.size = 3, .required_level = "nvlink"}));
  rig.Run();
  ASSERT_EQ(rig.View("train").domain, "rack-0/rack-0.0");
  rig.EndPod("team-a/train-1", PodPhase::kFailed);
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kMembersMissing);
  // What is free in the rack is taken: only the other rack has room.
  rig.UpdatePod(MakeForeign("x", "rack-0-host-1", 1));
  rig.UpdatePod(MakeForeign("y", "rack-0-host-3", 1));
  rig.AddPods({MakeMember({.size = 3, .required_level = "nvlink", .created_s = 60}, 7)});
  rig.Run();
  EXPECT_EQ(rig.View("train").bound, 2);
  EXPECT_NE(rig.View("train").reason.code, ReasonCode::kNone);
  EXPECT_EQ(rig.View("train").position, 1);
  rig.EndPod("other/y", PodPhase::kSucceeded);
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRunning);
  EXPECT_EQ(rig.Pod("team-a/train-7").node, "rack-0-host-3");
  const auto admits = rig.Sent<Admit>();
  ASSERT_THAT(admits.back().members, SizeIs(1));
  EXPECT_EQ(admits.back().members[0].rank, 1);
  EXPECT_EQ(admits.back().domain, "rack-0/rack-0.0");
}

TEST_F(RollBackTest, RefusedRejoinLeavesSurvivorsAlone) {
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  rig.EndPod("team-a/train-1", PodPhase::kFailed);
  rig.refuse_bind["team-a/train-9"] = "denied";
  rig.AddPods({MakeMember({.size = 2, .created_s = 60}, 9)});
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_EQ(rig.View("train").reason.code, ReasonCode::kBackoff);
  rig.refuse_bind.clear();
  rig.Advance(Duration::Seconds(11));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(RollBackTest, SucceededMembersCountFailedOnesDoNot) {
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  rig.EndPod("team-a/train-0", PodPhase::kSucceeded);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  rig.EndPod("team-a/train-1", PodPhase::kFailed);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRepairing);
  EXPECT_EQ(rig.View("train").reason.have, 2);
}

TEST_F(RollBackTest, RepairsComeBeforeNewGangs) {
  rig.AddPods(MakeGang({.size = 8}));
  rig.Run();
  rig.AddPods({MakeMember({.name = "urgent", .priority = 100}, 0)});
  rig.Run();
  rig.manual = true;
  rig.AddPods({MakeMember({.size = 8, .created_s = 60}, 9)});
  rig.EndPod("team-a/train-3", PodPhase::kFailed);
  rig.Plan();
  EXPECT_EQ(rig.Sent<Admit>().back().gang.name, "train");
}

// A new Job under the name of a finished one is a new gang.
TEST_F(RollBackTest, FinishedMembersOfAnEarlierOwnerDoNotCount) {
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  for (int i = 0; i < 2; ++i) rig.EndPod("team-a/train-" + std::to_string(i), PodPhase::kSucceeded);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kDone);
  PodObject pod = MakeMember({.size = 2}, 5);
  pod.owner.uid = "uid-second-job";
  rig.AddPods({pod});
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kGathering);
  EXPECT_EQ(rig.View("train").present, 1);
}

TEST(OwnersTest, Table) {
  EXPECT_TRUE(WayOutOf({"batch/v1", "Job", "x", "u"}).evict);
  EXPECT_TRUE(WayOutOf({"apps/v1", "ReplicaSet", "x", "u"}).evict);
  EXPECT_TRUE(WayOutOf({"apps/v1", "StatefulSet", "x", "u"}).evict);
  EXPECT_TRUE(WayOutOf({"v1", "ReplicationController", "x", "u"}).evict);
  EXPECT_FALSE(WayOutOf({}).evict);
  EXPECT_FALSE(WayOutOf({"apps/v1", "DaemonSet", "x", "u"}).evict);
  EXPECT_FALSE(WayOutOf({"ray.io/v1", "RayCluster", "x", "u"}).evict);
  EXPECT_FALSE(WayOutOf({"kubeflow.org/v1", "PyTorchJob", "x", "u"}).evict);
  // Another group's Job is not the one that we know.
  EXPECT_FALSE(WayOutOf({"batch.volcano.sh/v1alpha1", "Job", "x", "u"}).evict);
  EXPECT_FALSE(WayOutOf({"example.com/v1", "Mystery", "x", "u"}).evict);
  EXPECT_FALSE(WayOutOf({"example.com/v1", "Mystery", "x", "u"}).why.empty());
}

}  // namespace
}  // namespace phalanx::test

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

TEST_F(RollBackTest, JobThatWouldFailIsNotEvictedAndTheReasonSaysWhatToDo) {
  rig.jobs["train"] = {.failures_left = 1};
  rig.refuse_bind["team-a/train-2"] = "denied";
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  EXPECT_THAT(rig.Sent<ReadJob>(), SizeIs(1));
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRollingBack);
  EXPECT_THAT(view.explanation, HasSubstr("survives 1 more failed pods, 2 are bound"));
  EXPECT_THAT(view.explanation, HasSubstr("suspend and resume the Job"));
  rig.RemovePod("team-a/train-0");
  rig.RemovePod("team-a/train-1");
  EXPECT_EQ(rig.View("train").phase, GangPhase::kGathering);
}

TEST_F(RollBackTest, JobsAreAskedOnceAndEachForItself) {
  rig.jobs["a"] = {.ignores_disruption = true};
  rig.jobs["b"] = {.failures_left = 1};
  std::vector<PodObject> pods = MakeGang({.size = 6});
  for (int i = 0; i < 5; ++i) pods[i].owner.name = pods[i].owner.uid = i < 3 ? "a" : "b";
  rig.refuse_bind["team-a/train-5"] = "denied";
  rig.AddPods(pods);
  rig.Run();
  EXPECT_THAT(rig.Sent<ReadJob>(), SizeIs(2));
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(3));
  EXPECT_THAT(rig.View("train").explanation, HasSubstr("team-a/train-3 is not evicted"));
}

TEST_F(RollBackTest, NothingIsEvictedBeforeTheJobHasAnswered) {
  rig.refuse_bind["team-a/train-1"] = "denied";
  rig.AddPods(MakeGang({.size = 2}));
  rig.manual = true;
  rig.jobs_answer = false;
  rig.Plan();
  for (MemberState state : {MemberState::kReserved, MemberState::kPrepared}) {
    for (const char* uid : {"team-a/train-0", "team-a/train-1"}) rig.Fact(uid, state);
  }
  rig.Fact("team-a/train-0", MemberState::kBound);
  rig.Fact("team-a/train-1", MemberState::kBindRefused, 422, "denied");
  rig.Fact("team-a/train-1", MemberState::kReturned);
  ASSERT_THAT(rig.Sent<ReadJob>(), SizeIs(1));
  const uint64_t asked = rig.log.back().sequence;
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  // A read that fails is made again after a while.
  rig.Send(DirectiveResult{asked, false, 0, "no answer"});
  EXPECT_THAT(rig.Sent<ReadJob>(), SizeIs(1));
  rig.Advance(Duration::Seconds(11));
  ASSERT_THAT(rig.Sent<ReadJob>(), SizeIs(2));
  const ReadJob read = rig.Sent<ReadJob>()[1];
  EXPECT_EQ(read.name, "train");
  // A Job that was made again under the name is not theirs.
  rig.Send(DirectiveResult{rig.log.back().sequence, true, 200, "", false,
                           JobObject{"another", 6, false}});
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  EXPECT_THAT(rig.View("train").explanation, HasSubstr("its Job is gone"));
}

TEST_F(RollBackTest, JobIsAskedAgainInANewEpoch) {
  rig.jobs["train"] = {.failures_left = 0};
  rig.refuse_bind["team-a/train-1"] = "denied";
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
  rig.jobs["train"] = {.ignores_disruption = true};
  rig.Start();
  rig.Run();
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(1));
}

// After a refusal each Binding is tried first, so that a policy that still refuses binds nobody.
TEST_F(RollBackTest, NextStartTriesEachBindingFirst) {
  rig.jobs["train"] = {.ignores_disruption = true};
  rig.refuse_bind["team-a/train-2"] = "denied by policy no-third";
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  ASSERT_THAT(rig.Sent<Evict>(), SizeIs(2));
  EXPECT_FALSE(rig.Sent<Admit>()[0].dry_run);
  // While its controller has not made the evicted pods again, the cause is still told.
  EXPECT_EQ(rig.View("train").phase, GangPhase::kGathering);
  EXPECT_THAT(rig.View("train").explanation, HasSubstr("denied by policy no-third"));
  for (int i = 0; i < 2; ++i) {
    PodObject pod = MakeMember({.size = 3}, i);
    pod.uid += "-again";
    rig.AddPods({pod});
  }
  rig.Advance(Duration::Seconds(11));
  ASSERT_THAT(rig.Sent<Admit>(), SizeIs(2));
  EXPECT_TRUE(rig.Sent<Admit>()[1].dry_run);
  EXPECT_THAT(rig.Sent<Evict>(), SizeIs(2));
  EXPECT_EQ(rig.BoundIn("train"), 0);
  GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kQueued);
  EXPECT_EQ(view.attempts, 2);
  EXPECT_GT(view.reason.need, 10);  // the second refusal doubles the wait
  EXPECT_THAT(view.explanation, HasSubstr("denied by policy no-third"));
  EXPECT_EQ(rig.engine.TakeStats().partial_spells, 1);
  // The third start succeeds, and nothing is remembered.
  rig.refuse_bind.clear();
  rig.Advance(Duration::Seconds(20));
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
  rig.EndPod("team-a/train-2", PodPhase::kFailed);
  rig.AddPods({MakeMember({.size = 3, .created_s = 60}, 9)});
  rig.Run();
  EXPECT_FALSE(rig.Sent<Admit>().back().dry_run);
}

TEST(OwnersTest, Table) {
  using Way = WayOut::Way;
  const auto way = [](const OwnerRef& owner) { return WayOutOf(owner).way; };
  EXPECT_EQ(way({"batch/v1", "Job", "x", "u"}), Way::kAskJob);
  EXPECT_EQ(way({"apps/v1", "ReplicaSet", "x", "u"}), Way::kEvict);
  EXPECT_EQ(way({"apps/v1", "StatefulSet", "x", "u"}), Way::kEvict);
  EXPECT_EQ(way({"v1", "ReplicationController", "x", "u"}), Way::kEvict);
  EXPECT_EQ(way({}), Way::kStay);
  EXPECT_EQ(way({"apps/v1", "DaemonSet", "x", "u"}), Way::kStay);
  EXPECT_EQ(way({"ray.io/v1", "RayCluster", "x", "u"}), Way::kStay);
  EXPECT_EQ(way({"kubeflow.org/v1", "PyTorchJob", "x", "u"}), Way::kStay);
  // Another group's Job is not the one that we know.
  EXPECT_EQ(way({"batch.volcano.sh/v1alpha1", "Job", "x", "u"}), Way::kStay);
  EXPECT_EQ(way({"example.com/v1", "Mystery", "x", "u"}), Way::kStay);
  EXPECT_FALSE(WayOutOf({"example.com/v1", "Mystery", "x", "u"}).why.empty());
}

// The Job fails when failed > backoffLimit, so it bears as many as are left, and not one more.
TEST(OwnersTest, Jobs) {
  using Way = WayOut::Way;
  EXPECT_EQ(JudgeJob(JobObject{"u", 7, false}, 7).way, Way::kEvict);
  EXPECT_EQ(JudgeJob(JobObject{"u", 6, false}, 7).way, Way::kStay);
  EXPECT_EQ(JudgeJob(JobObject{"u", 0, true}, 7).way, Way::kEvict);
  EXPECT_EQ(JudgeJob(std::nullopt, 1).way, Way::kStay);
}

}  // namespace
}  // namespace phalanx::test

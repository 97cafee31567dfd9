// The way of a gang from its first pod to Running.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StartTest : public ::testing::Test {
 protected:
  void Begin(std::vector<NodeObject> nodes) {
    rig.SetNodes(std::move(nodes));
    rig.Start();
  }
  Rig rig;
};

TEST_F(StartTest, WholeGangRuns) {
  Begin(MakeRacks(2, 4, 4));
  rig.AddPods(MakeGang({.size = 3, .gpus = 4, .required_level = "nvlink"}));
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRunning);
  EXPECT_EQ(view.bound, 3);
  EXPECT_EQ(view.devices, 12);
  EXPECT_EQ(view.domain, "rack-0/rack-0.0");
  const auto admits = rig.Sent<Admit>();
  ASSERT_THAT(admits, SizeIs(1));
  EXPECT_EQ(admits[0].plan, (uint64_t{1} << kPlanBits) + 1);
  EXPECT_EQ(admits[0].gang_size, 3);
  ASSERT_THAT(admits[0].members, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(admits[0].members[i].rank, i);
    EXPECT_EQ(admits[0].members[i].node, "rack-0-host-" + std::to_string(i));
    EXPECT_EQ(admits[0].members[i].node_uid, "uid-rack-0-host-" + std::to_string(i));
  }
  EXPECT_THAT(rig.Sent<PodEvent>(), IsEmpty());
}

// A JobSet of a leader and two jobs of two workers, whose names and completion indexes say nothing
// about the order of its jobs.
TEST_F(StartTest, RanksGoFromJobToJobAndAReplacementTakesItsOwn) {
  Begin(MakeRacks(1, 5, 1));
  std::vector<PodObject> pods = MakeGang({.size = 5});
  constexpr std::pair<int32_t, int32_t> kPlaces[] = {{2, 1}, {1, 0}, {0, 0}, {2, 0}, {1, 1}};
  constexpr int32_t kRanks[] = {4, 1, 0, 3, 2};
  for (size_t i = 0; i < pods.size(); ++i) {
    pods[i].membership->index_group = kPlaces[i].first;
    pods[i].membership->index = kPlaces[i].second;
  }
  rig.AddPods(pods);
  rig.Run();
  const std::vector<AdmitMember> members = rig.Sent<Admit>().at(0).members;
  ASSERT_THAT(members, SizeIs(5));
  for (const AdmitMember& member : members) {
    const size_t pod = static_cast<size_t>(member.pod_name.back() - '0');
    EXPECT_EQ(member.rank, kRanks[pod]) << member.pod_name;
    // Neighbours in rank are neighbours in the rack.
    EXPECT_EQ(member.node, "rack-0-host-" + std::to_string(kRanks[pod])) << member.pod_name;
  }
  rig.RemovePod("team-a/train-1");
  pods[1].uid = "again";
  rig.AddPods({pods[1]});
  rig.Run();
  ASSERT_THAT(rig.Sent<Admit>(), SizeIs(2));
  EXPECT_EQ(rig.Sent<Admit>()[1].members.at(0).rank, kRanks[1]);
}

TEST_F(StartTest, BarriersOpenOnlyWhenAllHaveCome) {
  Begin(MakeRacks(1, 2, 1));
  rig.manual = true;
  rig.AddPods(MakeGang({.size = 2}));
  rig.Plan();
  const std::string a = "team-a/train-0", b = "team-a/train-1";
  EXPECT_EQ(rig.Answer(a).kind, AnswerKind::kPlanned);
  EXPECT_EQ(rig.Answer(a).node, "rack-0-host-0");
  rig.Fact(a, MemberState::kReserved);
  rig.Fact(a, MemberState::kReserved);
  // Facts may overtake each other: this one counts as reserved too, but opens nothing alone.
  rig.Fact(a, MemberState::kPrepared);
  EXPECT_THAT(rig.Sent<Release>(), IsEmpty());
  rig.Fact(b, MemberState::kReserved);
  ASSERT_THAT(rig.Sent<Release>(), SizeIs(1));
  EXPECT_EQ(rig.Sent<Release>()[0].stage, ReleaseStage::kPrepare);
  EXPECT_EQ(rig.Answer(a).kind, AnswerKind::kReleased);
  EXPECT_EQ(rig.Answer(b).kind, AnswerKind::kReleased);
  rig.Fact(b, MemberState::kPrepared);
  ASSERT_THAT(rig.Sent<Release>(), SizeIs(2));
  EXPECT_EQ(rig.Sent<Release>()[1].stage, ReleaseStage::kBind);
  rig.Fact(a, MemberState::kBound);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kStarting);
  rig.Fact(b, MemberState::kBound);
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(StartTest, RoomIsHeldFromAdmitOn) {
  Begin({MakeNode("n1", 4)});
  rig.manual = true;
  rig.AddPods(MakeGang({.name = "first", .size = 2, .gpus = 2}));
  rig.Plan();
  rig.AddPods(MakeGang({.name = "second", .gpus = 1}));
  rig.Plan();
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(1));
  EXPECT_EQ(rig.engine.Nodes()[0].held.at(kGpu), 4);
  EXPECT_EQ(rig.View("second").reason.code, ReasonCode::kCapacity);
}

// GB-01
TEST_F(StartTest, TwoGangsRoomForOne) {
  std::vector<NodeObject> nodes;
  for (int i = 0; i < 20; ++i) nodes.push_back(MakeNode("n" + std::to_string(100 + i), 1));
  Begin(nodes);
  std::vector<PodObject> mixed;
  for (int i = 0; i < 20; ++i) {
    mixed.push_back(MakeMember({.name = "a", .size = 20}, i));
    mixed.push_back(MakeMember({.name = "b", .size = 20}, i));
  }
  rig.AddPods(mixed);
  rig.Run();
  EXPECT_EQ(rig.View("a").phase, GangPhase::kRunning);
  const GangView b = rig.View("b");
  EXPECT_EQ(b.phase, GangPhase::kQueued);
  EXPECT_EQ(b.reason.code, ReasonCode::kCapacity);
  EXPECT_EQ(b.position, 1);
  EXPECT_EQ(rig.BoundIn("b"), 0);
  for (int i = 0; i < 20; ++i) rig.EndPod("team-a/a-" + std::to_string(i), PodPhase::kSucceeded);
  rig.Run();
  EXPECT_EQ(rig.View("a").phase, GangPhase::kDone);
  EXPECT_EQ(rig.View("b").phase, GangPhase::kRunning);
}

TEST_F(StartTest, PriorityThenAgeDecide) {
  Begin({MakeNode("n1", 1)});
  rig.AddPods({MakeMember({.name = "young", .created_s = 20}, 0),
               MakeMember({.name = "old", .created_s = 10}, 0),
               MakeMember({.name = "urgent", .priority = 5, .created_s = 30}, 0)});
  rig.Run();
  EXPECT_EQ(rig.View("urgent").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("old").position, 1);
  EXPECT_EQ(rig.View("young").position, 2);
}

// GB-03
TEST_F(StartTest, NineOfTenFit) {
  std::vector<NodeObject> nodes;
  for (int i = 0; i < 10; ++i) nodes.push_back(MakeNode("n" + std::to_string(i), 1));
  Begin(nodes);
  std::vector<PodObject> pods = MakeGang({.size = 10});
  pods[9].node_selector = {{"tier", "gold"}};
  for (int i = 0; i < 5; ++i) {
    pods.push_back(MakeMember({.name = "small-" + std::to_string(i), .created_s = 100}, 0));
  }
  rig.AddPods(pods);
  rig.Plan();
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kQueued);
  EXPECT_EQ(view.reason.code, ReasonCode::kNoSuchNode);
  EXPECT_THAT(view.explanation, HasSubstr("team-a/train-9"));
  EXPECT_THAT(view.explanation, HasSubstr("tier"));
  EXPECT_THAT(view.explanation, HasSubstr("10 of 10 nodes"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.View("small-" + std::to_string(i)).phase, GangPhase::kRunning);
  }
}

// GB-04
TEST_F(StartTest, FitsBySumNotByShape) {
  Begin({MakeNode("n1", 6), MakeNode("n2", 2), MakeNode("n3", 2), MakeNode("n4", 2)});
  std::vector<PodObject> pods = MakeGang({.size = 3, .gpus = 4});
  pods.push_back(MakeMember({.name = "small", .gpus = 2, .created_s = 9}, 0));
  rig.AddPods(pods);
  rig.Run();
  const GangView view = rig.View("train");
  EXPECT_EQ(view.reason.code, ReasonCode::kFragmentation);
  EXPECT_THAT(view.explanation, HasSubstr("1 of 3 members placeable"));
  EXPECT_THAT(view.explanation, HasSubstr("nvidia.com/gpu 4"));
  EXPECT_EQ(rig.View("small").phase, GangPhase::kRunning);
}

// GB-16: a hopeless class costs one search per release, however many gangs are in it.
TEST_F(StartTest, RefusedClassIsSearchedOncePerRelease) {
  Begin({MakeNode("n1", 2)});
  std::vector<PodObject> pods;
  for (int i = 0; i < 5; ++i) {
    for (PodObject& pod : MakeGang({.name = "big-" + std::to_string(i), .size = 3})) {
      pods.push_back(std::move(pod));
    }
  }
  rig.AddPods(pods);
  rig.Run();
  EXPECT_EQ(rig.engine.TakeStats().plans, 1);
  EXPECT_EQ(rig.View("big-4").reason.code, ReasonCode::kCapacity);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.UpdateNode(rig.nodes.at("n1"));  // nothing changed
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.UpdateNode(MakeNode("n2", 1));
  rig.Run();
  EXPECT_EQ(rig.View("big-0").phase, GangPhase::kRunning);
  EXPECT_EQ(rig.View("big-1").phase, GangPhase::kQueued);
}

// GB-13
TEST_F(StartTest, FreedRoomIsUsedAtOnce) {
  rig.SetNodes({MakeNode("n1", 2)});
  rig.SetPods({MakeForeign("busy", "n1", 1)});
  rig.Start();
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kQueued);
  rig.EndPod("other/busy", PodPhase::kSucceeded);
  rig.Run();
  EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
}

TEST_F(StartTest, GangIsSpreadOverSlicesOfPlanning) {
  Begin(MakeRacks(2, 8, 4));
  for (int i = 0; i < 6; ++i) rig.AddPods(MakeGang({.name = "g" + std::to_string(i), .size = 2}));
  int slices = 0;
  while (rig.engine.HasPlanningWork()) {
    rig.Send(PlanSlice{1});
    EXPECT_GT(rig.outcomes.back().work_units, 0);
    ++slices;
  }
  EXPECT_EQ(slices, 6);
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(6));
}

// The scheduler is not flooded: the rest is admitted when the barrier of the first has opened.
TEST(SlicesTest, NothingIsAdmittedWhileManyAreReserving) {
  EngineConfig config;
  config.max_reserving = 3;
  Rig rig(config);
  rig.SetNodes(MakeRacks(2, 4, 1));
  rig.Start();
  rig.manual = true;
  for (int i = 0; i < 4; ++i) {
    rig.AddPods(MakeGang({.name = "g" + std::to_string(i), .size = 2, .created_s = i}));
  }
  rig.Plan();
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(2));
  rig.Fact("team-a/g0-0", MemberState::kReserved);
  EXPECT_FALSE(rig.engine.HasPlanningWork());
  rig.Fact("team-a/g0-1", MemberState::kReserved);
  rig.Plan();
  EXPECT_THAT(rig.Sent<Admit>(), SizeIs(3));
}

TEST_F(StartTest, WaitingTimeIsCountedFromTheOldestMember) {
  rig.now = Time{100'000};
  Begin({MakeNode("n1", 2)});
  rig.AddPods({MakeMember({.size = 2, .created_s = 90}, 0)});
  rig.now = Time{130'000};
  rig.AddPods({MakeMember({.size = 2, .created_s = 125}, 1)});
  rig.Run();
  const StatsView stats = rig.engine.TakeStats();
  EXPECT_THAT(stats.waited_ms, ::testing::ElementsAre(40'000));
  EXPECT_EQ(stats.gangs_by_phase.at(GangPhase::kRunning), 1);
  EXPECT_EQ(stats.placements.at("fits"), 1);
  EXPECT_THAT(rig.engine.TakeStats().waited_ms, IsEmpty());
}

TEST_F(StartTest, FinishedGangIsShownForAWhile) {
  Begin({MakeNode("n1", 1)});
  rig.AddPods(MakeGang({}));
  rig.Run();
  rig.EndPod("team-a/train-0", PodPhase::kSucceeded);
  rig.RemovePod("team-a/train-0");
  EXPECT_EQ(rig.View("train").phase, GangPhase::kDone);
  rig.Advance(Duration::Minutes(9));
  EXPECT_THAT(rig.engine.Gangs(), SizeIs(1));
  rig.Advance(Duration::Minutes(2));
  EXPECT_THAT(rig.engine.Gangs(), IsEmpty());
}

TEST_F(StartTest, MinimumStartsAndExtrasJoinLater) {
  Begin({MakeNode("n1", 2), MakeNode("n2", 1)});
  rig.UpdatePod(MakeForeign("busy", "n2", 1));
  rig.AddPods(MakeGang({.size = 3, .min = 2}));
  rig.Run();
  GangView view = rig.View("train");
  EXPECT_EQ(view.phase, GangPhase::kRunning);
  EXPECT_EQ(view.bound, 2);
  EXPECT_EQ(view.reason.code, ReasonCode::kCapacity);
  rig.EndPod("other/busy", PodPhase::kFailed);
  rig.Run();
  view = rig.View("train");
  EXPECT_EQ(view.bound, 3);
  EXPECT_EQ(view.reason.code, ReasonCode::kNone);
}

TEST_F(StartTest, GangOfTenThousandStarts) {
  std::vector<NodeObject> nodes;
  for (int i = 0; i < 100; ++i) {
    nodes.push_back(MakeNode("n" + std::to_string(i), 100));
    nodes.back().allocatable["cpu"] = 1'000'000;
  }
  Engine engine{EngineConfig{}};
  Time now{1};
  engine.Apply({now, Connect{1, "test"}});
  engine.Apply({now, Changes{.nodes = nodes}});
  engine.Apply({now, SyncDone{}});
  engine.Apply({now, Leadership{true}});
  const GangSpec spec{.size = 10'000};
  for (int i = 0; i < spec.size; ++i) engine.Apply({now, Changes{.pods = {MakeMember(spec, i)}}});
  const Outcome outcome = engine.Apply({now, PlanSlice{1'000'000'000}});
  ASSERT_THAT(outcome.directives, SizeIs(1));
  const auto& admit = std::get<Admit>(outcome.directives[0].body);
  ASSERT_THAT(admit.members, SizeIs(10'000));
  for (MemberState state : {MemberState::kReserved, MemberState::kPrepared, MemberState::kBound}) {
    for (const AdmitMember& member : admit.members) {
      engine.Apply({now, MemberFact{member.pod_uid, admit.plan, member.node, state}});
    }
  }
  EXPECT_EQ(engine.Gangs().at(0).phase, GangPhase::kRunning);
  EXPECT_THAT(engine.CheckInvariants(), IsEmpty());
}

}  // namespace
}  // namespace phalanx::test

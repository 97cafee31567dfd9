// Gang objects: when they are made and written, what they say, and when they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ShowTest : public ::testing::Test {
 protected:
  void Begin(std::vector<NodeObject> nodes, EngineConfig config = {}) {
    rig = std::make_unique<Rig>(config);
    rig->SetNodes(std::move(nodes));
    rig->Start();
  }
  // The status of the gang's object; fails if there is none.
  GangReport Status(const std::string& object) {
    auto it = rig->gang_objects.find("team-a/" + object);
    if (it == rig->gang_objects.end() || !it->second.status) {
      ADD_FAILURE() << "no status of " << object;
      return {};
    }
    return *it->second.status;
  }
  std::vector<std::string> OwnerUids(const std::string& object) {
    std::vector<std::string> uids;
    for (const OwnerRef& owner : rig->gang_objects.at("team-a/" + object).object.owners) {
      uids.push_back(owner.uid);
    }
    return uids;
  }
  std::unique_ptr<Rig> rig;
};

TEST_F(ShowTest, AWaitingGangSaysWhyAndWhere) {
  Begin({MakeNode("n1", 4)});
  rig->AddPods(MakeGang({.size = 2, .gpus = 4, .priority = 7}));
  rig->Advance(Duration::Seconds(2));
  ASSERT_THAT(rig->gang_objects, SizeIs(1));
  const GangObject& object = rig->gang_objects.at("team-a/train.label").object;
  ASSERT_THAT(object.owners, SizeIs(1));
  EXPECT_EQ(object.owners[0].kind, "Job");
  EXPECT_EQ(object.owners[0].name, "train");
  const GangReport status = Status("train.label");
  EXPECT_EQ(status.state, GangState::kWaiting);
  EXPECT_EQ(status.reason.code, ReasonCode::kCapacity);
  EXPECT_THAT(status.explanation, HasSubstr("1 of 2"));
  EXPECT_EQ(status.position, 1);
  EXPECT_EQ(status.accelerators, 8);
  EXPECT_EQ(status.priority, 7);
  EXPECT_EQ(status.bound, 0);
  EXPECT_EQ(status.size, 2);
  EXPECT_TRUE(status.complete.holds);
  EXPECT_FALSE(status.ready.holds);
  EXPECT_EQ(status.ready.reason, "Capacity");
  EXPECT_EQ(status.waiting_since, Time{0}) << "creation of its oldest member";
  EXPECT_EQ(status.started, Time::Never());
}

TEST_F(ShowTest, ARunningGangSaysHowLongItWaited) {
  Begin({MakeNode("n1", 4)});
  rig->AddPods(MakeGang({.size = 2, .created_s = 990}));
  rig->Advance(Duration::Seconds(2));
  const GangReport status = Status("train.label");
  EXPECT_EQ(status.state, GangState::kRunning);
  EXPECT_EQ(status.started, Time{1'000'000});
  EXPECT_EQ(status.waited, Duration::Seconds(10));
  EXPECT_EQ(status.waiting_since, Time::Never());
  EXPECT_EQ(status.position, 0);
  EXPECT_TRUE(status.ready.holds);
  EXPECT_THAT(status.ready.message, HasSubstr("2 of 2 members are bound"));
  // Waiting, starting and running within the first moment: the object, and one status.
  EXPECT_EQ(rig->writes, 2);
}

TEST_F(ShowTest, NothingIsWrittenTwice) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(5));
  const int before = rig->writes;
  for (int i = 0; i < 20; ++i) {
    rig->UpdatePod(rig->Pod("team-a/train-0"));
    rig->Advance(Duration::Seconds(15));
  }
  EXPECT_EQ(rig->writes, before);
}

TEST_F(ShowTest, TenChangesWithoutATokenAreOneWrite) {
  Begin({MakeNode("n1", 1)}, {.status_writes_per_second = 1});
  rig->AddPods({MakeMember({.size = 20, .gpus = 0}, 0)});
  rig->Advance(Duration::Seconds(2));
  EXPECT_EQ(rig->writes, 2);
  rig->hold_writes = true;  // not even the result of the first comes
  for (int i = 1; i <= 10; ++i) {
    rig->AddPods({MakeMember({.size = 20, .gpus = 0}, i)});
    rig->Advance(Duration{50});
  }
  rig->Advance(Duration::Minutes(5));
  EXPECT_EQ(rig->writes, 3);
}

TEST_F(ShowTest, TheBudgetHoldsForAnyNumberOfGangs) {
  Begin({MakeNode("n1", 1)}, {.status_writes_per_second = 20});
  std::vector<PodObject> pods;
  for (int i = 0; i < 400; ++i) {
    const auto gang = MakeGang({.name = "g" + std::to_string(i), .size = 2, .gpus = 8});
    pods.insert(pods.end(), gang.begin(), gang.end());
  }
  rig->AddPods(pods);
  rig->Run();
  for (int second = 1; second <= 30; ++second) {
    rig->Advance(Duration::Seconds(1));
    const size_t all = rig->writes + rig->Sent<PodEvent>().size() + rig->Sent<PodWaits>().size();
    // A second's worth at once, and one event more than it had, since it goes with its condition.
    EXPECT_LE(all, 20u * second + 21);
  }
  EXPECT_GE(rig->writes, 400);
}

// Many gangs wait to be shown; one that is shown already starts. That it runs is told first.
TEST_F(ShowTest, WhatIsNotTrueAnyMoreGoesFirst) {
  Begin({MakeNode("n1", 0)}, {.status_writes_per_second = 1});
  rig->AddPods(MakeGang({.name = "first", .size = 2, .gpus = 1}));
  rig->Advance(Duration::Seconds(3));
  EXPECT_EQ(Status("first.label").state, GangState::kWaiting);
  std::vector<PodObject> pods;
  for (int i = 0; i < 100; ++i) {
    const auto gang = MakeGang({.name = "g" + std::to_string(i), .size = 2, .gpus = 8});
    pods.insert(pods.end(), gang.begin(), gang.end());
  }
  rig->AddPods(pods);
  rig->Advance(Duration::Seconds(20));
  rig->UpdateNode(MakeNode("n1", 2));
  rig->Advance(Duration::Seconds(3));
  EXPECT_EQ(Status("first.label").state, GangState::kRunning);
  EXPECT_LT(rig->gang_objects.size(), 40u) << "the others still wait for their turn";
}

TEST_F(ShowTest, AGangOfOneIsShownAfter30Seconds) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods({MakeMember({.name = "waits", .gpus = 4, .created_s = 1000}, 0),
                MakeMember({.name = "starts", .created_s = 1000}, 0)});
  rig->Advance(Duration::Seconds(29));
  EXPECT_THAT(rig->gang_objects, IsEmpty());
  rig->Advance(Duration::Seconds(3));
  ASSERT_THAT(rig->gang_objects, SizeIs(1));
  EXPECT_EQ(Status("waits.label").reason.code, ReasonCode::kNoSuchNode);
  // Once shown it is kept true.
  rig->UpdateNode(MakeNode("n2", 4));
  rig->Advance(Duration::Seconds(2));
  EXPECT_EQ(Status("waits.label").state, GangState::kRunning);
}

TEST_F(ShowTest, GoesTenMinutesAfterTheEnd) {
  Begin({MakeNode("n1", 2)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(2));
  for (int i = 0; i < 2; ++i) {
    rig->EndPod("team-a/train-" + std::to_string(i), PodPhase::kSucceeded);
  }
  rig->Advance(Duration::Minutes(9));
  const GangReport status = Status("train.label");
  EXPECT_EQ(status.state, GangState::kFinished);
  EXPECT_TRUE(status.finished.holds);
  EXPECT_EQ(status.succeeded, 2);
  EXPECT_EQ(status.waited, Duration::Seconds(1000)) << "what it was is not forgotten";
  rig->Advance(Duration::Minutes(2));
  EXPECT_THAT(rig->gang_objects, IsEmpty());
}

TEST_F(ShowTest, DeletedMembersLeaveAnEndBehind) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(2));
  rig->RemovePod("team-a/train-0");
  rig->RemovePod("team-a/train-1");
  rig->Advance(Duration::Minutes(9));
  EXPECT_EQ(Status("train.label").state, GangState::kFinished);
  EXPECT_EQ(Status("train.label").finished.reason, "MembersDeleted");
  rig->Advance(Duration::Minutes(2));
  EXPECT_THAT(rig->gang_objects, IsEmpty());
}

// The Job was deleted, and with it its object; one of the same name follows.
TEST_F(ShowTest, ANewGangOfTheSameNameTakesTheObjectOver) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(2));
  rig->RemovePod("team-a/train-0");
  rig->RemovePod("team-a/train-1");
  rig->gang_objects.clear();
  std::vector<PodObject> pods = MakeGang({.size = 2});
  for (PodObject& pod : pods) {
    pod.uid += "-again";
    pod.owner.uid = "another-job";
  }
  rig->AddPods(pods);
  rig->Advance(Duration::Minutes(15));
  EXPECT_EQ(Status("train.label").state, GangState::kWaiting);
  EXPECT_THAT(OwnerUids("train.label"), ElementsAre("another-job"));
}

// The Job was deleted: its pods go first, or the object does.
TEST_F(ShowTest, AnObjectWithoutMembersKeepsItsOwnerAndIsNotMadeAgain) {
  for (const bool object_goes_first : {false, true}) {
    Begin({MakeNode("n1", 2)});
    rig->AddPods(MakeGang({.size = 2}));
    rig->Advance(Duration::Seconds(2));
    rig->EndPod("team-a/train-0", PodPhase::kSucceeded);
    rig->EndPod("team-a/train-1", PodPhase::kSucceeded);
    if (object_goes_first) rig->gang_objects.clear();
    rig->RemovePod("team-a/train-0");
    rig->RemovePod("team-a/train-1");
    rig->Advance(Duration::Minutes(1));
    if (object_goes_first) {
      EXPECT_THAT(rig->gang_objects, IsEmpty());
    } else {
      EXPECT_THAT(OwnerUids("train.label"), ElementsAre("uid-job-train"));
    }
  }
}

TEST_F(ShowTest, AnObjectThatIsMissingIsMadeAgain) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(2));
  rig->gang_objects.clear();
  rig->UpdateNode(MakeNode("n1", 2));  // there is something to write
  rig->Advance(Duration::Seconds(3));
  EXPECT_EQ(Status("train.label").state, GangState::kRunning);
}

// While no brain runs nobody else could clean it up.
TEST_F(ShowTest, WithoutACommonControllerTheFirstMembersAreOwners) {
  for (const std::string owner : {"", "another-job"}) {
    Begin({MakeNode("n1", 1)});
    std::vector<PodObject> pods = MakeGang({.size = 12});
    for (PodObject& pod : pods) {
      if (owner.empty()) pod.owner = {};
    }
    pods.back().owner.uid = owner;
    rig->AddPods(pods);
    rig->Advance(Duration::Seconds(2));
    EXPECT_THAT(
        OwnerUids("train.label"),
        ElementsAre("team-a/train-0", "team-a/train-1", "team-a/train-2", "team-a/train-3",
                    "team-a/train-4", "team-a/train-5", "team-a/train-6", "team-a/train-7"));
    for (int i = 0; i < 8; ++i) rig->RemovePod("team-a/train-" + std::to_string(i));
    rig->Advance(Duration::Seconds(12));
    EXPECT_THAT(OwnerUids("train.label"), ElementsAre("team-a/train-8", "team-a/train-9",
                                                      "team-a/train-10", "team-a/train-11"));
  }
}

TEST_F(ShowTest, WithoutTheKindOneWriteIsTriedEvery30Seconds) {
  Begin({MakeNode("n1", 1)});
  rig->serves_gangs = false;
  for (int i = 0; i < 50; ++i) {
    rig->AddPods(MakeGang({.name = "g" + std::to_string(i), .size = 2, .gpus = 8}));
  }
  rig->Advance(Duration::Seconds(1));
  EXPECT_LE(rig->writes, 16) << "what was under way when it was noticed";
  const int before = rig->writes;
  rig->Advance(Duration::Minutes(5));
  EXPECT_EQ(rig->writes - before, 10);
  // It is installed: all are shown within the budget.
  rig->serves_gangs = true;
  rig->Advance(Duration::Minutes(1));
  EXPECT_THAT(rig->gang_objects, SizeIs(50));
  EXPECT_EQ(Status("g49.label").reason.code, ReasonCode::kNoSuchNode);
}

TEST_F(ShowTest, ARefusedWriteIsTriedLessAndLess) {
  Begin({MakeNode("n1", 1)});
  rig->refuse_writes = 403;
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Minutes(10));
  EXPECT_LE(rig->writes, 12);
  rig->refuse_writes = 0;
  rig->Advance(Duration::Minutes(11));
  EXPECT_EQ(Status("train.label").state, GangState::kWaiting);
}

TEST_F(ShowTest, PositionsAreBroughtUpToDate) {
  Begin({MakeNode("n1", 4)});
  for (int i = 0; i < 5; ++i) {
    rig->AddPods(MakeGang({.name = "g" + std::to_string(i), .size = 2, .gpus = 4, .created_s = i}));
  }
  rig->Advance(Duration::Seconds(20));
  EXPECT_EQ(Status("g4.label").position, 5);
  rig->RemovePod("team-a/g1-0");  // incomplete: it waits for no place any more
  rig->Advance(Duration::Seconds(20));
  EXPECT_EQ(Status("g0.label").position, 1);
  EXPECT_EQ(Status("g1.label").position, 0);
  EXPECT_EQ(Status("g4.label").position, 4);
}

// A new epoch makes nobody write what is written already.
TEST_F(ShowTest, AReconnectWritesNothingAnew) {
  Begin({MakeNode("n1", 1)});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(5));
  const int before = rig->writes;
  rig->Start();
  rig->Advance(Duration::Minutes(1));
  EXPECT_EQ(rig->writes, before);
}

TEST_F(ShowTest, WritesThatANewEpochForgotAreMadeAgain) {
  Begin({MakeNode("n1", 1)});
  rig->hold_writes = true;
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Seconds(5));
  EXPECT_EQ(rig->writes, 1);
  rig->hold_writes = false;
  rig->Start();
  rig->Advance(Duration::Seconds(5));
  EXPECT_EQ(Status("train.label").state, GangState::kWaiting);
}

TEST_F(ShowTest, AFollowerWritesNothing) {
  Begin({MakeNode("n1", 1)});
  rig->Send(Leadership{false});
  rig->AddPods(MakeGang({.size = 2}));
  rig->Advance(Duration::Minutes(1));
  EXPECT_EQ(rig->writes, 0);
  EXPECT_THAT(rig->Sent<PodEvent>(), IsEmpty());
  rig->Send(Leadership{true});
  rig->Advance(Duration::Seconds(2));
  EXPECT_EQ(Status("train.label").state, GangState::kWaiting);
}

}  // namespace
}  // namespace phalanx::test

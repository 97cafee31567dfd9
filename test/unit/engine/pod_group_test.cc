// Gangs whose minimum stands in an object: the object missing, late, changed and deleted in each
// phase. What would break: a gang that starts with too few members, or running members that pay for
// an edit of the object.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ObjectKey kKey{"PodGroup", "team-a", "train"};

ApiObject Group(int32_t min, std::optional<Duration> timeout = std::nullopt) {
  return {kKey, "uid-1", GangTerms{min, timeout}, {}};
}

PodObject Member(int i) {
  PodObject pod = MakeMember({}, i);
  pod.membership->gang.source = "podgroup";
  pod.membership->terms_object = kKey;
  pod.membership->sized_by_object = true;
  return pod;
}

std::vector<PodObject> Members(int count) {
  std::vector<PodObject> out;
  out.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(Member(i));
  return out;
}

class PodGroupTest : public ::testing::Test {
 protected:
  PodGroupTest() {
    rig.SetNodes({MakeNode("n1", 4), MakeNode("n2", 4)});
    rig.Start();
  }
  // Four members with a minimum of 4, all bound.
  void RunFour() {
    rig.SetObject(Group(4));
    rig.AddPods(Members(4));
    rig.Run();
    ASSERT_EQ(Now().phase, GangPhase::kRunning);
  }
  // Four members with a minimum of 4 are admitted and go no further by themselves.
  void AdmitFour() {
    rig.manual = true;
    rig.SetObject(Group(4));
    rig.AddPods(Members(4));
    rig.Plan();
    ASSERT_THAT(rig.Sent<Admit>(), SizeIs(1));
  }
  void FactOfAll(MemberState state) {
    for (int i = 0; i < 4; ++i) rig.Fact("team-a/train-" + std::to_string(i), state);
  }
  GangView Now() const { return rig.View("train"); }
  Rig rig;
};

TEST_F(PodGroupTest, AMissingObjectKeepsTheGangAndIsNamed) {
  rig.AddPods(Members(4));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kGathering);
  EXPECT_EQ(Now().reason.code, ReasonCode::kObjectMissing);
  EXPECT_THAT(Now().explanation, AllOf(HasSubstr("PodGroup team-a/train"), HasSubstr("not there")));
  EXPECT_EQ(rig.Answer("team-a/train-0").reason, "ObjectMissing");
  EXPECT_THAT(rig.Sent<Admit>(), IsEmpty());
}

TEST_F(PodGroupTest, ALateObjectStartsTheGang) {
  rig.AddPods(Members(4));
  rig.Run();
  rig.SetObject(Group(4));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_EQ(Now().min, 4);
  EXPECT_EQ(rig.Sent<Admit>()[0].gang_size, 4);
}

TEST_F(PodGroupTest, PodsBeyondTheMinimumStartWithItWhereTheyFit) {
  rig.SetObject(Group(4));
  rig.AddPods(Members(6));
  rig.Run();
  EXPECT_EQ(Now().bound, 6);
  EXPECT_EQ(Now().size, 6);
  EXPECT_EQ(rig.Sent<Admit>()[0].gang_size, 4) << "the minimum is what the start is judged by";
}

TEST_F(PodGroupTest, PodsBeyondTheMinimumJoinWhenThereIsRoom) {
  rig.SetObject(Group(4));
  rig.AddPods(Members(9));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_GE(Now().bound, 4);
  rig.UpdateNode(MakeNode("n3", 4));
  rig.Run();
  EXPECT_EQ(Now().bound, 9);
}

TEST_F(PodGroupTest, TheMinimumIsChangedWhileItGathers) {
  rig.SetObject(Group(6));
  rig.AddPods(Members(4));
  rig.Run();
  EXPECT_EQ(Now().reason.code, ReasonCode::kMembersMissing);
  EXPECT_EQ(Now().reason.need, 6);
  rig.SetObject(Group(5));
  rig.Run();
  EXPECT_EQ(Now().reason.need, 5);
  rig.SetObject(Group(4));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
}

TEST_F(PodGroupTest, TheMinimumIsChangedWhileItWaitsForRoom) {
  rig.SetObject(Group(10));
  rig.AddPods(Members(10));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kQueued);
  rig.SetObject(Group(11));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kGathering);
  EXPECT_EQ(Now().reason.code, ReasonCode::kMembersMissing);
  rig.SetObject(Group(8));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning) << "8 fit, and may go without the other two";
  EXPECT_EQ(Now().bound, 8);
}

TEST_F(PodGroupTest, AnObjectThatGoesWhileItWaitsTakesTheGangBack) {
  rig.SetObject(Group(10));
  rig.AddPods(Members(10));
  rig.Run();
  rig.RemoveObject(kKey);
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kGathering);
  EXPECT_EQ(Now().reason.code, ReasonCode::kObjectMissing);
}

TEST_F(PodGroupTest, AnObjectThatGoesWithdrawsAStartThatHasBoundNothing) {
  AdmitFour();
  FactOfAll(MemberState::kReserved);
  rig.RemoveObject(kKey);
  ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
  EXPECT_THAT(rig.Sent<Reject>()[0].reason, HasSubstr("PodGroup team-a/train"));
  FactOfAll(MemberState::kReturned);
  EXPECT_EQ(Now().phase, GangPhase::kGathering);
  EXPECT_EQ(Now().reason.code, ReasonCode::kObjectMissing);
}

TEST_F(PodGroupTest, AMinimumThatIsRaisedWithdrawsAStartThatIsTooSmallNow) {
  AdmitFour();
  rig.SetObject(Group(6));
  ASSERT_THAT(rig.Sent<Reject>(), SizeIs(1));
  EXPECT_THAT(rig.Sent<Reject>()[0].reason, HasSubstr("asks for 6 members, 4 were being started"));
  FactOfAll(MemberState::kReturned);
  EXPECT_EQ(Now().reason.code, ReasonCode::kMembersMissing);
}

TEST_F(PodGroupTest, AMinimumThatIsLoweredLeavesAStartAlone) {
  AdmitFour();
  rig.SetObject(Group(2));
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
  EXPECT_EQ(Now().phase, GangPhase::kStarting);
}

TEST_F(PodGroupTest, AfterBothBarriersTheStartGoesOnWhateverHappensToTheObject) {
  AdmitFour();
  FactOfAll(MemberState::kReserved);
  FactOfAll(MemberState::kPrepared);
  rig.SetObject(Group(6));
  rig.RemoveObject(kKey);
  FactOfAll(MemberState::kBound);
  EXPECT_THAT(rig.Sent<Reject>(), IsEmpty());
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  rig.SetObject(Group(6));
  rig.Advance(Duration::Minutes(5));
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(PodGroupTest, ARunningGangLosesNothingByAnEdit) {
  RunFour();
  for (int32_t min : {9, 1, 7}) {
    rig.SetObject(Group(min));
    rig.Advance(Duration::Minutes(2));
    EXPECT_EQ(Now().phase, GangPhase::kRunning) << min;
  }
  rig.RemoveObject(kKey);
  rig.Advance(Duration::Minutes(2));
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_EQ(Now().bound, 4);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

// What keeps it is on the pods, not in memory.
TEST_F(PodGroupTest, ARunningGangLosesNothingByAnEditAndARestart) {
  RunFour();
  rig.SetObject(Group(6));
  rig.UpdateNode(MakeNode("n1", 0));
  rig.UpdateNode(MakeNode("n2", 0));
  rig.AddPods({Member(4), Member(5)});
  rig.Start();
  rig.Advance(Duration::Minutes(2));
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  rig.RemoveObject(kKey);
  rig.Start();
  rig.Advance(Duration::Minutes(2));
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_EQ(Now().min, 4);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(PodGroupTest, ALostMemberIsReplacedOnceTheObjectIsThere) {
  RunFour();
  rig.RemoveObject(kKey);
  rig.RemovePod("team-a/train-0");
  PodObject again = Member(4);
  again.created = Time{rig.now.ms};
  rig.AddPods({again});
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRepairing);
  EXPECT_EQ(Now().reason.code, ReasonCode::kObjectMissing);
  rig.SetObject(Group(4));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_EQ(Now().bound, 4);
}

// The pods of another scheduler's past carry nothing of ours.
TEST_F(PodGroupTest, MembersThatSomebodyElseBoundAreKept) {
  std::vector<PodObject> pods = Members(3);
  for (PodObject& pod : pods) pod.node = "n1";
  rig.AddPods(pods);
  rig.Advance(Duration::Minutes(2));
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
  EXPECT_THAT(rig.Sent<Evict>(), IsEmpty());
}

TEST_F(PodGroupTest, AnObjectThatCanNotBeFollowedIsTheReason) {
  ApiObject bad = Group(1);
  bad.problems = {{"spec.minMember", "0", "a whole number from 1 to 10000"}};
  rig.SetObject(bad);
  rig.AddPods(Members(2));
  rig.Run();
  EXPECT_EQ(Now().reason.code, ReasonCode::kInvalid);
  EXPECT_THAT(
      Now().explanation,
      HasSubstr("spec.minMember of PodGroup team-a/train is \"0\", expected a whole number"));
  rig.SetObject(Group(2));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
}

TEST_F(PodGroupTest, GangLabelsAndObjectMustAgreeOnTheMinimum) {
  std::vector<PodObject> pods = MakeGang({.size = 4});
  for (PodObject& pod : pods) pod.membership->terms_object = kKey;
  rig.SetObject(Group(3));
  rig.AddPods(pods);
  rig.Run();
  EXPECT_EQ(Now().reason.code, ReasonCode::kInvalid);
  EXPECT_THAT(Now().explanation, HasSubstr("the minimum of PodGroup team-a/train is \"3\", "
                                           "expected 4"));
  rig.RemoveObject(kKey);  // the labels suffice
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
}

TEST_F(PodGroupTest, MembersMustNameOneObject) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  pods[1].membership->terms_object = kKey;
  rig.AddPods(pods);
  rig.Run();
  EXPECT_EQ(Now().reason.code, ReasonCode::kMembersDisagree);
  EXPECT_EQ(Now().reason.subject, "object with their terms");
}

TEST_F(PodGroupTest, ItsTimeoutEndsAStartSooner) {
  rig.never_reserves.insert("team-a/train-3");
  rig.SetObject(Group(4, Duration::Seconds(5)));
  rig.AddPods(Members(4));
  rig.Run();
  rig.Advance(Duration::Seconds(4));
  EXPECT_EQ(Now().phase, GangPhase::kStarting);
  rig.Advance(Duration::Seconds(2));
  EXPECT_NE(Now().phase, GangPhase::kStarting);
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(1));
}

TEST_F(PodGroupTest, ItsTimeoutNeverGivesAStartMoreTime) {
  rig.never_reserves.insert("team-a/train-3");
  rig.SetObject(Group(4, Duration::Minutes(60)));
  rig.AddPods(Members(4));
  rig.Advance(Duration::Seconds(61));
  EXPECT_THAT(rig.Sent<Reject>(), SizeIs(1));
}

TEST_F(PodGroupTest, ItsTimeoutIsNoLimitOfWaiting) {
  rig.SetObject(Group(10, Duration::Seconds(5)));
  rig.AddPods(Members(10));
  rig.Advance(Duration::Minutes(10));
  EXPECT_EQ(Now().phase, GangPhase::kQueued);
  EXPECT_EQ(Now().attempts, 0);
}

TEST_F(PodGroupTest, AnotherObjectOfThatNameIsNotTheOneThatGoes) {
  rig.SetObject(Group(4));
  rig.Send(Changes{.removed_objects = {{kKey, "uid-0"}}});
  rig.AddPods(Members(4));
  rig.Run();
  EXPECT_EQ(Now().phase, GangPhase::kRunning);
}

TEST_F(PodGroupTest, WhatTheSnapshotLacksIsGone) {
  rig.SetObject(Group(10));
  rig.AddPods(Members(10));
  rig.Run();
  rig.objects.clear();
  rig.Start();
  rig.Run();
  EXPECT_EQ(Now().reason.code, ReasonCode::kObjectMissing);
}

}  // namespace
}  // namespace phalanx::test

// What would help a gang that waits, and that asking changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/room.h"
#include "core/explain/help_text.h"
#include "phalanx/device_share.h"
#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HelpTest : public ::testing::Test {
 protected:
  HelpTest() {
    rig.SetNodes(MakeRacks(3, 4, 4));
    rig.Start();
  }

  void AddGang(const std::string& name, int32_t size, int64_t minutes = 0,
               const std::string& exclusive = "") {
    std::vector<PodObject> pods = MakeGang({.name = name, .size = size, .gpus = 4});
    for (PodObject& pod : pods) {
      if (minutes > 0) pod.membership->expected_duration = Duration::Minutes(minutes);
      pod.membership->exclusive_level = exclusive;
    }
    rig.AddPods(std::move(pods));
    rig.Run();
  }
  // Asks twice: the second answer, and everything else, is as if nobody had asked.
  HelpView Ask(const std::string& name) {
    const GangKey key = KeyOf({.name = name});
    const uint64_t before = rig.engine.Digest();
    const auto first = rig.engine.WhatWouldHelp(key);
    EXPECT_EQ(rig.engine.Digest(), before);
    EXPECT_THAT(rig.engine.CheckInvariants(), IsEmpty());
    const auto second = rig.engine.WhatWouldHelp(key);
    EXPECT_TRUE(first.has_value() && second.has_value());
    if (!first || !second) return {};
    EXPECT_EQ(Texts(*first), Texts(*second));
    return *first;
  }
  static std::vector<std::string> Texts(const HelpView& view) {
    std::vector<std::string> out;
    for (const LevelRoom& room : view.levels) out.push_back(ExplainRoom(room));
    for (const Help& help : view.helps) out.push_back(ExplainHelp(help));
    return out;
  }

  Rig rig;  // its clock begins at 00:16 UTC
};

TEST_F(HelpTest, ALevelThatIsTooFine) {
  rig.AddPods(MakeGang({.name = "wide", .size = 6, .gpus = 4, .required_level = "nvlink"}));
  rig.Run();
  EXPECT_TRUE(rig.View("wide").reason.never);
  EXPECT_THAT(
      Texts(Ask("wide")),
      ElementsAre("host: best rack-0/rack-0.0/rack-0-host-0 has room for 1 of 6, for 1 when "
                  "empty",
                  "nvlink: best rack-0/rack-0.0 has room for 4 of 6, for 4 when empty",
                  "rack: best rack-0 has room for 4 of 6, for 4 when empty",
                  "cluster: all nodes have room for 12 of 6, for 12 when empty",
                  "if it required no level", "if 4 members were enough"));
}

TEST_F(HelpTest, WhoHoldsTheRoomAndTheFirstToEndThatSuffices) {
  AddGang("a", 3, 10);
  AddGang("b", 2);
  AddGang("c", 4, 5);
  rig.AddPods(MakeGang({.name = "next", .size = 4, .gpus = 4, .required_level = "nvlink"}));
  rig.Run();
  const HelpView help = Ask("next");
  EXPECT_THAT(
      Texts(help),
      ElementsAre("host: best rack-0/rack-0.0/rack-0-host-3 has room for 1 of 4, for 1 when "
                  "empty",
                  "nvlink: best rack-1/rack-1.0 has room for 2 of 4, for 4 when empty; 2 "
                  "held by team-a/b",
                  "rack: best rack-1 has room for 2 of 4, for 4 when empty; 2 held by "
                  "team-a/b",
                  "cluster: all nodes have room for 3 of 4, for 12 when empty",
                  "if 2 members were enough", "when team-a/c ends, at about 00:21 UTC",
                  "with room for 2 more members in nvlink rack-1/rack-1.0: 2 empty hosts at "
                  "least"));
  // c is expected to have ended, and says nothing more about when.
  rig.Advance(Duration::Minutes(6));
  rig.Send(Tick{});  // the engine's time is that of its last command
  EXPECT_EQ(ExplainHelp(Ask("next").helps.at(1)), "when team-a/a ends, at about 00:26 UTC");
}

TEST_F(HelpTest, DomainsThatAreNotShared) {
  AddGang("a", 3);
  AddGang("b", 3);
  AddGang("c", 3);
  AddGang("alone", 1, 0, "rack");
  const HelpView help = Ask("alone");
  ASSERT_FALSE(help.helps.empty());
  EXPECT_EQ(help.helps[0].kind, HelpKind::kShared);
  EXPECT_EQ(ExplainHelp(help.helps.at(1)), "when team-a/a ends");
}

TEST_F(HelpTest, RulesOfTheMembers) {
  std::vector<PodObject> pods = MakeGang({.name = "thin", .size = 4, .gpus = 4});
  for (PodObject& pod : pods) pod.membership->spread = {"rack", 1};
  rig.AddPods(pods);
  pods = MakeGang({.name = "whole", .size = 10, .gpus = 4});
  for (PodObject& pod : pods) pod.membership->segment = {5, "rack", ""};
  rig.AddPods(pods);
  rig.Run();
  EXPECT_EQ(Ask("thin").helps.at(0).kind, HelpKind::kNoSpread);
  EXPECT_EQ(Ask("whole").helps.at(0).kind, HelpKind::kNoSegments);
}

// A part of a device goes where least is left, which may be another device than when it came.
TEST(WithoutPodsTest, PartsOfDevicesAreOnTheDevicesWhereTheyWere) {
  State state{EngineConfig{}};
  const NodeId node = state.cluster.UpsertNode(MakeNode("n1", 2));
  Ledger& ledger = state.cluster.ledger();
  ResourceNames& names = state.cluster.resources();
  const auto book = [&](uint32_t pod, int64_t part) {
    const std::string share = std::string(kShareOf) + kGpu;
    ledger.Book(PodId(pod), node, BookingKind::kBound, Resources::From({{share, part}}, names));
  };
  book(0, 500);
  book(1, 100);  // beside it: 400 are left
  book(2, 450);  // on the other: 550 are left, and 50 with the next one
  book(3, 500);
  ledger.Release(PodId(1));
  const auto left = [&] { return ledger.shared().Left(node, names.Intern(kGpu)); };
  EXPECT_THAT(left(), ElementsAre(50, 500));
  {
    const WithoutPods gone(state, {PodId(3)});
    EXPECT_THAT(left(), ElementsAre(500, 550));
  }
  EXPECT_THAT(left(), ElementsAre(50, 500));
  EXPECT_TRUE(ledger.CheckSums());
}

TEST_F(HelpTest, OnlyForGangsThatWaitForRoom) {
  AddGang("a", 3);
  EXPECT_FALSE(rig.engine.WhatWouldHelp(KeyOf({.name = "a"})).has_value());
  EXPECT_FALSE(rig.engine.WhatWouldHelp(KeyOf({.name = "nobody"})).has_value());
}

}  // namespace
}  // namespace phalanx::test

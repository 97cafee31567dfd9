// Whether the judge sees what is wrong with members in the domains of a level, and beside other
// gangs.
#include "core/judge/spread.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/judge/exclusive.h"
#include "core/judge/group.h"

namespace phalanx::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// leaf l1: a b    leaf l2: c d    no leaf: e
World TwoLeaves() {
  World world;
  for (const auto& [name, leaf] : std::vector<std::pair<std::string, std::string>>{
           {"a", "l1"}, {"b", "l1"}, {"c", "l2"}, {"d", "l2"}, {"e", ""}}) {
    NodeObject node;
    node.name = name;
    if (!leaf.empty()) node.labels["fabric.topograph.run/tier-0"] = leaf;
    world.nodes.push_back(std::move(node));
  }
  return world;
}

// One member per letter.
std::vector<Assignment> On(const std::string& nodes, const Spread& spread,
                           const std::string& exclusive = "") {
  std::vector<Assignment> gang;
  for (const char node : nodes) {
    Assignment member;
    member.node = std::string(1, node);
    member.pod.name = fmt::format("{}{}", node, gang.size());
    member.pod.requests = {{"nvidia.com/gpu", 1}};
    member.pod.membership.emplace().spread = spread;
    member.pod.membership->exclusive_level = exclusive;
    gang.push_back(std::move(member));
  }
  return gang;
}

TEST(SpreadJudgeTest, CountsMembersInEachDomain) {
  const World world = TwoLeaves();
  EXPECT_THAT(CheckSpread(world, On("abcd", {"leaf", 2, 2})), IsEmpty());
  EXPECT_THAT(CheckSpread(world, On("aabcd", {"leaf", 2, 2})),
              ElementsAre(HasSubstr("l1 has 3 members, at most 2")));
  EXPECT_THAT(CheckSpread(world, On("abc", {"leaf", 2, 2})),
              ElementsAre(HasSubstr("l2 has 1 members, at least 2")));
  EXPECT_THAT(CheckSpread(world, On("aab", {"host", 1})),
              ElementsAre(HasSubstr("a has 2 members, at most 1")));
  EXPECT_THAT(CheckSpread(world, On("e", {"leaf", 2})), ElementsAre(HasSubstr("e is in no leaf")));
}

TEST(SpreadJudgeTest, RolesAreCountedApart) {
  std::vector<Assignment> gang = On("abab", {"leaf", 2});
  gang[0].pod.requests["cpu"] = 1;
  gang[1].pod.requests["cpu"] = 1;
  EXPECT_THAT(CheckSpread(TwoLeaves(), gang), IsEmpty());
}

// Rules for kube-scheduler are followed with exceptions, but for anti-affinity on hosts.
TEST(SpreadJudgeTest, RulesForTheScheduler) {
  const Spread host{
      .level = "kubernetes.io/hostname", .at_most = 1, .by = SpreadBy::kApart, .whom = "x"};
  EXPECT_THAT(CheckSpread(TwoLeaves(), On("abe", host)), IsEmpty());
  EXPECT_THAT(CheckSpread(TwoLeaves(), On("aab", host)),
              ElementsAre(HasSubstr("a has 2 members, at most 1")));
  const Spread leaf{.level = "leaf", .at_most = 1, .by = SpreadBy::kApart};
  EXPECT_THAT(CheckSpread(TwoLeaves(), On("abe", leaf)), IsEmpty());
  const Spread skew{.level = "host", .at_most = 1, .by = SpreadBy::kSkew};
  EXPECT_THAT(CheckSpread(TwoLeaves(), On("aa", skew)), IsEmpty());
}

TEST(SpreadJudgeTest, BoundMembersCountForThoseThatJoin) {
  const World world = TwoLeaves();
  const Spread rule{"leaf", 2, 2};
  EXPECT_THAT(CheckSpread(world, On("c", rule), On("ab", rule)), IsEmpty());
  EXPECT_THAT(CheckSpread(world, On("a", rule), On("ab", rule)),
              ElementsAre(HasSubstr("l1 has 3 members")));
  // What was wrong before is not what is judged.
  EXPECT_THAT(CheckSpread(world, On("c", rule), On("aab", rule)), IsEmpty());
}

TEST(ExclusiveJudgeTest, NobodyIsInADomainThatIsNotShared) {
  const World world = TwoLeaves();
  EXPECT_THAT(CheckExclusive(world, On("ab", {}, "leaf"), On("cd", {})), IsEmpty());
  EXPECT_THAT(CheckExclusive(world, On("ac", {}, "leaf"), On("d", {})),
              ElementsAre(HasSubstr("are in one leaf")));
  EXPECT_THAT(CheckExclusive(world, On("d", {}), On("c", {}, "leaf")),
              ElementsAre(HasSubstr("are in one leaf")));
  EXPECT_THAT(CheckExclusive(world, On("a", {}, "host"), On("b", {})), IsEmpty());
  EXPECT_THAT(CheckExclusive(world, On("e", {}, "leaf"), {}),
              ElementsAre(HasSubstr("e is in no leaf")));
}

TEST(GroupJudgeTest, GangsOfOneGroupAreInOneDomain) {
  const World world = TwoLeaves();
  const auto of_group = [](const std::string& nodes, const std::string& name) {
    std::vector<Assignment> gang = On(nodes, {});
    for (Assignment& member : gang) member.pod.membership->group = {name, "leaf", ""};
    return gang;
  };
  EXPECT_THAT(CheckGroup(world, of_group("a", "g"), of_group("b", "g")), IsEmpty());
  EXPECT_THAT(CheckGroup(world, of_group("a", "g"), of_group("c", "h")), IsEmpty());
  EXPECT_THAT(CheckGroup(world, of_group("a", "g"), of_group("c", "g")),
              ElementsAre(HasSubstr("a0 is not in one leaf with its group g")));
  EXPECT_THAT(CheckGroup(world, of_group("e", "g"), {}), ElementsAre(HasSubstr("one leaf")));
}

}  // namespace
}  // namespace phalanx::judge

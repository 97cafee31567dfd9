// Whether the judge sees a hard limit that is exceeded.
#include "core/judge/uplinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace phalanx::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// leaf l1: a b    leaf l2: c d; uplinks of 10 MB/s
World TwoLeaves(bool hard) {
  World world;
  for (const auto& [name, leaf] : std::vector<std::pair<std::string, std::string>>{
           {"a", "l1"}, {"b", "l1"}, {"c", "l2"}, {"d", "l2"}}) {
    NodeObject node;
    node.name = name;
    node.labels["leaf"] = leaf;
    world.nodes.push_back(std::move(node));
  }
  world.topologies = {{0, true, {{"leaf", "leaf", false, "", {10, hard}}}}};
  return world;
}

// One member per letter.
std::vector<Assignment> On(const std::string& nodes, const std::string& gang,
                           const Traffic& traffic, const Segment& segment = {}) {
  std::vector<Assignment> members;
  for (const char node : nodes) {
    Assignment& member = members.emplace_back();
    member.node = std::string(1, node);
    Membership& says = member.pod.membership.emplace();
    says.gang = {"ns", "label", gang};
    says.traffic = traffic;
    says.segment = segment;
  }
  return members;
}

TEST(CheckUplinksTest, WhatAGangSendsIsHeldAgainstTheLimit) {
  const World world = TwoLeaves(true);
  EXPECT_THAT(CheckUplinks(world, On("ac", "g", {.dp = 10}), {}), IsEmpty());
  EXPECT_THAT(
      CheckUplinks(world, On("ac", "g", {.dp = 11}), {}),
      ElementsAre(HasSubstr("leaf l1 would carry 11"), HasSubstr("leaf l2 would carry 11")));
  EXPECT_THAT(CheckUplinks(world, On("ab", "g", {.dp = 11}), {}), IsEmpty());
  EXPECT_THAT(CheckUplinks(TwoLeaves(false), On("ac", "g", {.dp = 11}), {}), IsEmpty());
  // Four members, two on each side: 2 × 2 / 3 × 8 = 10.67
  EXPECT_THAT(CheckUplinks(world, On("abcd", "g", {.ep = 8}), {}),
              ElementsAre(HasSubstr("11"), HasSubstr("11")));
  EXPECT_THAT(CheckUplinks(world, On("abcd", "g", {.all_to_all = 7}), {}), IsEmpty());
}

TEST(CheckUplinksTest, OthersCountAndMembersOfTheGangThatRun) {
  const World world = TwoLeaves(true);
  const auto others = On("ac", "other", {.pp = 6});
  EXPECT_THAT(CheckUplinks(world, On("ac", "g", {.dp = 4}), others), IsEmpty());
  EXPECT_THAT(CheckUplinks(world, On("ac", "g", {.dp = 5}), others), testing::SizeIs(2));
  // It joins what runs in the other leaf.
  EXPECT_THAT(CheckUplinks(world, On("a", "g", {.dp = 11}), On("c", "g", {.dp = 11})),
              testing::SizeIs(2));
  // Already above the limit, and no more than before.
  EXPECT_THAT(CheckUplinks(world, On("ab", "g", {.dp = 9}), On("ac", "other", {.dp = 99})),
              IsEmpty());
}

TEST(CheckUplinksTest, SegmentsThatAreWholeInALeafStayBelowItsUplink) {
  const World world = TwoLeaves(true);
  EXPECT_THAT(CheckUplinks(world, On("aabbccdd", "g", {.tp = 50}, {4, "leaf", ""}), {}), IsEmpty());
  EXPECT_THAT(CheckUplinks(world, On("aabbccdd", "g", {.tp = 50}, {4, "host", ""}), {}), IsEmpty());
  EXPECT_THAT(CheckUplinks(world, On("aabbccdd", "g", {.tp = 50}, {4, "", "leaf"}), {}),
              testing::SizeIs(2));
  EXPECT_THAT(CheckUplinks(world, On("aabbccdd", "g", {.tp = 2}), {}), IsEmpty());
}

}  // namespace
}  // namespace phalanx::judge

#include "core/judge/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// One member per letter, in rank order.
std::vector<Assignment> On(const std::string& nodes, const Segment& segment, int64_t gpus = 8) {
  std::vector<Assignment> gang;
  for (const char node : nodes) {
    Assignment member;
    member.node = std::string(1, node);
    member.rank = static_cast<int32_t>(gang.size());
    member.pod.requests = {{"nvidia.com/gpu", gpus}};
    member.pod.membership.emplace().segment = segment;
    gang.push_back(std::move(member));
  }
  return gang;
}

const Segment kPairs{2, "leaf", ""};

TEST(SegmentsJudgeTest, AcceptsSegmentsThatAreWhole) {
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("abcd", kPairs)), IsEmpty());
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("cdab", kPairs)), IsEmpty());
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("aabb", {2, "host", ""})), IsEmpty());
}

TEST(SegmentsJudgeTest, RanksDecideWhichMembersBelongTogether) {
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("acbd", kPairs)),
              ElementsAre(HasSubstr("from rank 0 on is not in one leaf"),
                          HasSubstr("from rank 2 on is not in one leaf")));
  std::vector<Assignment> gang = On("acbd", kPairs);
  std::swap(gang[1].rank, gang[2].rank);
  EXPECT_THAT(CheckSegments(TwoLeaves(), gang), IsEmpty());
}

TEST(SegmentsJudgeTest, AMemberWithoutTheLevelIsInNoDomain) {
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("ee", kPairs)),
              ElementsAre(HasSubstr("is not in one leaf")));
}

TEST(SegmentsJudgeTest, AnUnfinishedSegmentIsWrong) {
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("aba", kPairs)),
              ElementsAre(HasSubstr("3 members are no whole segments of 2")));
}

TEST(SegmentsJudgeTest, EachRoleHasItsOwn) {
  std::vector<Assignment> gang = On("a", {}, 1);
  for (Assignment& worker : On("abcd", kPairs)) {
    worker.rank += 1;
    gang.push_back(worker);
  }
  EXPECT_THAT(CheckSegments(TwoLeaves(), gang), IsEmpty());
}

TEST(SegmentsJudgeTest, APreferredLevelIsAWish) {
  EXPECT_THAT(CheckSegments(TwoLeaves(), On("acbd", {2, "", "leaf"})), IsEmpty());
}

}  // namespace
}  // namespace phalanx::judge

// How members are spread, from annotations.
#include "wire/dialects/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/dialects/label.h"

namespace phalanx::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Membership Read(const LabelMap& annotations) {
  const LabelMap labels{{kGangLabel, "a"}, {kGangSizeLabel, "16"}};
  return *ReadLabelDialect({"team", "a-0", labels, annotations});
}

auto ProblemIs(const std::string& annotation, const std::string& value,
               const std::string& expected) {
  return testing::AllOf(
      testing::Field(&Problem::field, "metadata.annotations[phalanx.dev/" + annotation + "]"),
      testing::Field(&Problem::value, value),
      testing::Field(&Problem::expected, HasSubstr(expected)));
}

TEST(SpreadTest, ReadsLevelAndNumbers) {
  const Membership m = Read({{kSpreadLevelAnnotation, "rack"},
                             {kSpreadMaxAnnotation, "4"},
                             {kSpreadMinAnnotation, "2"},
                             {kSpreadEvenlyAnnotation, "true"}});
  EXPECT_EQ(m.spread, (Spread{"rack", 4, 2, true}));
  EXPECT_THAT(m.problems, IsEmpty());
  EXPECT_EQ(Read({}).spread, Spread());
}

// Roles that differ in nothing that counts stay one role.
TEST(SpreadTest, WhatIsNoRuleIsNotKept) {
  EXPECT_EQ(Read({{kSpreadLevelAnnotation, "rack"}}).spread, Spread());
  const Membership m = Read({{kSpreadLevelAnnotation, "rack"},
                             {kSpreadMinAnnotation, "1"},
                             {kSpreadEvenlyAnnotation, "false"}});
  EXPECT_EQ(m.spread, Spread());
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(SpreadTest, ANumberNeedsALevel) {
  for (const char* key : {kSpreadMaxAnnotation, kSpreadMinAnnotation}) {
    EXPECT_THAT(Read({{key, "2"}}).problems,
                ElementsAre(ProblemIs("spread-topology", "", "a topology level")));
  }
  EXPECT_THAT(Read({{kSpreadMaxAnnotation, "2"}, {kSpreadLevelAnnotation, "a b"}}).problems,
              ElementsAre(ProblemIs("spread-topology", "a b", "the name of a topology level")));
}

TEST(SpreadTest, WrongNumbersAreNamedWithTheirValue) {
  for (const char* bad : {"0", "-1", "two", "10001", "2.0", ""}) {
    EXPECT_THAT(Read({{kSpreadLevelAnnotation, "rack"}, {kSpreadMaxAnnotation, bad}}).problems,
                ElementsAre(ProblemIs("spread-max", bad, "a whole number from 1 to 10000")));
  }
  EXPECT_THAT(Read({{kSpreadLevelAnnotation, "rack"}, {kSpreadMinAnnotation, "17"}}).problems,
              ElementsAre(ProblemIs("spread-min", "17", "from 1 to the gang size 16")));
  EXPECT_THAT(Read({{kSpreadLevelAnnotation, "rack"}, {kSpreadEvenlyAnnotation, "yes"}}).problems,
              ElementsAre(ProblemIs("spread-evenly", "yes", "true or false")));
}

TEST(SpreadTest, RulesThatCanNotBothHoldAreRefused) {
  EXPECT_THAT(Read({{kSpreadLevelAnnotation, "rack"},
                    {kSpreadMaxAnnotation, "2"},
                    {kSpreadMinAnnotation, "3"}})
                  .problems,
              ElementsAre(ProblemIs("spread-min", "3", "at most 2")));
  EXPECT_THAT(Read({{kSpreadLevelAnnotation, "rack"},
                    {kSpreadMaxAnnotation, "2"},
                    {kSegmentSizeAnnotation, "4"},
                    {kSegmentRequiredAnnotation, "leaf"}})
                  .problems,
              ElementsAre(ProblemIs("spread-topology", "rack", "segments are set")));
}

TEST(SpreadTest, ReadsTheExclusiveLevel) {
  EXPECT_EQ(Read({{kTopologyExclusiveAnnotation, "rack"}}).exclusive_level, "rack");
  EXPECT_THAT(Read({{kTopologyExclusiveAnnotation, "a b"}}).problems,
              ElementsAre(ProblemIs("topology-exclusive", "a b", "the name of a topology level")));
}

}  // namespace
}  // namespace phalanx::wire

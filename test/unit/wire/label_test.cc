// What a pod says about its gang. Without these, a size of zero or a misspelt annotation would be
// read as some default and a gang would start wrong, or wait without a reason.
#include "wire/dialects/label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace phalanx::wire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Membership Read(const LabelMap& labels, const LabelMap& annotations = {}) {
  auto membership = ReadLabelDialect({"team", "train-0", labels, annotations});
  EXPECT_TRUE(membership.has_value());
  return membership.value_or(Membership{});
}

auto ProblemIs(const std::string& field, const std::string& value, const std::string& expected) {
  return AllOf(Field(&Problem::field, field), Field(&Problem::value, value),
               Field(&Problem::expected, HasSubstr(expected)));
}

TEST(LabelDialect, ReadsEveryKey) {
  Membership m = Read({{kGangLabel, "train"}, {kGangSizeLabel, "16"}, {kRoleLabel, "leader"}},
                      {{kGangMinAnnotation, "12"},
                       {kTopologyRequiredAnnotation, "nvlink"},
                       {kTopologyPreferredAnnotation, "topology.kubernetes.io/zone"},
                       {kExpectedDurationAnnotation, "2h30m"},
                       {"batch.kubernetes.io/job-completion-index", "7"}});
  EXPECT_EQ(m.gang, (GangKey{"team", "label", "train"}));
  EXPECT_EQ(m.size, 16);
  EXPECT_EQ(m.min, 12);
  EXPECT_EQ(m.role, "leader");
  EXPECT_EQ(m.required_level, "nvlink");
  EXPECT_EQ(m.preferred_level, "topology.kubernetes.io/zone");
  EXPECT_EQ(m.expected_duration, Duration::Minutes(150));
  EXPECT_EQ(m.index, 7);
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(LabelDialect, MinIsTheSize) {
  Membership m = Read({{kGangLabel, "a"}, {kGangSizeLabel, "10000"}});
  EXPECT_EQ(m.min, kMaxGangSize);
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(LabelDialect, APodWithoutOurLabelsIsNotAMember) {
  LabelMap none;
  LabelMap annotations{{kGangMinAnnotation, "4"}};
  EXPECT_FALSE(ReadLabelDialect({"team", "web", none, annotations}).has_value());
}

Membership ReadSegment(const LabelMap& annotations) {
  return Read({{kGangLabel, "a"}, {kGangSizeLabel, "16"}}, annotations);
}

TEST(LabelDialect, ReadsSegments) {
  const Membership m = ReadSegment({{kSegmentSizeAnnotation, "4"},
                                    {kSegmentRequiredAnnotation, "leaf"},
                                    {kSegmentPreferredAnnotation, "nvidia.com/gpu.clique"}});
  EXPECT_EQ(m.segment, (Segment{4, "leaf", "nvidia.com/gpu.clique"}));
  EXPECT_THAT(m.problems, IsEmpty());
  EXPECT_EQ(Read({{kGangLabel, "a"}, {kGangSizeLabel, "16"}}).segment, Segment());
}

TEST(LabelDialect, SegmentsOfOneAreNoSegments) {
  const Membership m =
      ReadSegment({{kSegmentSizeAnnotation, "1"}, {kSegmentRequiredAnnotation, "leaf"}});
  EXPECT_EQ(m.segment, Segment());
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(LabelDialect, SegmentSizesThatAreNoSizesAreNamedWithTheirValue) {
  for (const char* bad : {"0", "-4", "four", "17", "4.0", ""}) {
    const Membership m =
        ReadSegment({{kSegmentSizeAnnotation, bad}, {kSegmentPreferredAnnotation, "leaf"}});
    EXPECT_THAT(m.problems,
                ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/segment-size]", bad,
                                      "a whole number from 1 to the gang size 16")))
        << bad;
  }
}

TEST(LabelDialect, ASegmentNeedsBothSizeAndLevel) {
  EXPECT_THAT(ReadSegment({{kSegmentSizeAnnotation, "4"}}).problems,
              ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/segment-topology-required]",
                                    "", "since phalanx.dev/segment-size is set")));
  EXPECT_THAT(ReadSegment({{kSegmentPreferredAnnotation, "leaf"}}).problems,
              ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/segment-size]", "",
                                    "the members of a segment")));
  EXPECT_THAT(ReadSegment({{kSegmentSizeAnnotation, "4"}, {kSegmentRequiredAnnotation, "a level"}})
                  .problems,
              ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/segment-topology-required]",
                                    "a level", "the name of a topology level")));
}

TEST(LabelDialect, ReadsTheGroup) {
  const auto read = [](const std::string& name, const LabelMap& annotations) {
    return Read({{kGangLabel, "a"}, {kGangSizeLabel, "2"}, {kGroupLabel, name}}, annotations);
  };
  const Membership m = read("o", {{kGroupRequiredAnnotation, "rack"},
                                  {kGroupPreferredAnnotation, "leaf"},
                                  {kGroupSizeAnnotation, "3"}});
  EXPECT_EQ(m.group, (Group{"o", "rack", "leaf", 3}));
  EXPECT_THAT(m.problems, IsEmpty());
  // A name alone is no constraint.
  EXPECT_EQ(read("o", {}).group, Group());
  EXPECT_THAT(read("o", {}).problems, IsEmpty());
  EXPECT_THAT(read("a,b", {{kGroupRequiredAnnotation, "rack"}}).problems,
              ElementsAre(ProblemIs("metadata.labels[phalanx.dev/group]", "a,b", "at most 63")));
  EXPECT_THAT(Read({{kGangLabel, "a"}, {kGangSizeLabel, "2"}}, {{kGroupRequiredAnnotation, "rack"}})
                  .problems,
              ElementsAre(ProblemIs("metadata.labels[phalanx.dev/group]", "", "at most 63")));
  EXPECT_THAT(
      read("o", {{kGroupRequiredAnnotation, "rack"}, {kGroupSizeAnnotation, "0"}}).problems,
      ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/group-size]", "0", "from 1 to")));
}

TEST(LabelDialect, SizesThatAreNoSizesAreNamedWithTheirValue) {
  for (const char* bad :
       {"0", "-4", "four", "10001", "99999999999999999999", "4.0", " 4", "4 ", "0x10", "", "+-4"}) {
    Membership m = Read({{kGangLabel, "a"}, {kGangSizeLabel, bad}});
    EXPECT_THAT(m.problems, ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang-size]", bad,
                                                  "a whole number from 1 to 10000")))
        << bad;
    EXPECT_EQ(m.size, 1);
  }
}

TEST(LabelDialect, AMissingSizeIsAProblem) {
  EXPECT_THAT(Read({{kGangLabel, "a"}}).problems,
              ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang-size]", "",
                                    "a whole number from 1 to 10000")));
}

TEST(LabelDialect, ASizeWithoutAGangIsAGangOfOneWithAProblem) {
  Membership m = Read({{kGangSizeLabel, "4"}});
  EXPECT_EQ(m.gang, (GangKey{"team", "pod", "train-0"}));
  EXPECT_THAT(m.problems, ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang]", "",
                                                "the name of the gang")));
}

TEST(LabelDialect, AGangOfAnotherNamespaceIsRefused) {
  for (std::string bad : {std::string("other/train"), std::string(""), std::string("-a"),
                          std::string("a b"), std::string(64, 'x')}) {
    Membership m = Read({{kGangLabel, bad}, {kGangSizeLabel, "4"}});
    EXPECT_THAT(m.problems, ElementsAre(ProblemIs("metadata.labels[phalanx.dev/gang]", bad,
                                                  "in the pod's own namespace")));
  }
}

TEST(LabelDialect, MinIsBetweenOneAndTheSize) {
  for (const char* bad : {"0", "5", "-1", "all"}) {
    Membership m = Read({{kGangLabel, "a"}, {kGangSizeLabel, "4"}}, {{kGangMinAnnotation, bad}});
    EXPECT_THAT(m.problems, ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/gang-min]", bad,
                                                  "from 1 to the gang size 4")));
  }
}

TEST(LabelDialect, AbsurdAnnotationsAreNamedAndClipped) {
  std::string long_text(100'000, 'z');
  Membership m = Read({{kGangLabel, "a"}, {kGangSizeLabel, "4"}, {kRoleLabel, "!"}},
                      {{kTopologyRequiredAnnotation, long_text},
                       {kTopologyPreferredAnnotation, "a\nb"},
                       {kExpectedDurationAnnotation, "-3h"}});
  ASSERT_EQ(m.problems.size(), 4u);
  EXPECT_EQ(m.problems[1].field, "metadata.annotations[phalanx.dev/topology-required]");
  EXPECT_EQ(m.problems[1].value, std::string(128, 'z') + "...");
  EXPECT_THAT(m.problems[3].expected, HasSubstr("2h30m"));
  EXPECT_EQ(m.required_level, "");
}

TEST(LabelDialect, DurationsAsGoWritesThem) {
  EXPECT_EQ(ParseDuration("90s"), Duration::Seconds(90));
  EXPECT_EQ(ParseDuration("1.5h"), Duration::Minutes(90));
  EXPECT_EQ(ParseDuration("1h0m30s"), Duration::Seconds(3630));
  EXPECT_EQ(ParseDuration("2500ms"), Duration{2500});
  EXPECT_EQ(ParseDuration("8760h"), Duration::Minutes(525600));
  for (const char* bad : {"", "90", "h", "1.h", "0s", "999ms", "8761h", "1d", "1h-1m", "1e3s",
                          "999999999999999999999h", "5000h5000h", "1h ", "NaNs"}) {
    EXPECT_FALSE(ParseDuration(bad).has_value()) << bad;
  }
}

TEST(LabelDialect, ReadsBackWhatTheBindingWrote) {
  std::vector<Problem> problems;
  auto plan = ReadBoundPlan({{kPlanAnnotation, "1782938172"}, {kRankAnnotation, "3"}}, problems);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->plan, 1782938172u);
  EXPECT_EQ(plan->rank, 3);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(plan->domain, "");
  EXPECT_FALSE(ReadBoundPlan({}, problems).has_value());
  EXPECT_THAT(problems, IsEmpty());
}

TEST(LabelDialect, ReadsBackTheDomain) {
  std::vector<Problem> problems;
  LabelMap annotations = {{kPlanAnnotation, "7"}, {kRankAnnotation, "0"}};
  annotations[kDomainAnnotation] = "zone-a/rack-1";
  EXPECT_EQ(ReadBoundPlan(annotations, problems)->domain, "zone-a/rack-1");
  EXPECT_THAT(problems, IsEmpty());
  annotations[kDomainAnnotation] = std::string(kMaxDomainPath + 1, 'x');
  EXPECT_EQ(ReadBoundPlan(annotations, problems)->domain, "");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].field, "metadata.annotations[phalanx.dev/domain]");
  EXPECT_THAT(problems[0].expected, HasSubstr("1023 bytes"));
}

TEST(LabelDialect, ABrokenBoundPlanIsNotBelievedInPart) {
  std::vector<Problem> problems;
  EXPECT_FALSE(
      ReadBoundPlan({{kPlanAnnotation, "-1"}, {kRankAnnotation, "10000"}}, problems).has_value());
  EXPECT_THAT(problems,
              ElementsAre(ProblemIs("metadata.annotations[phalanx.dev/plan]", "-1", "plan"),
                          ProblemIs("metadata.annotations[phalanx.dev/rank]", "10000", "9999")));
}

}  // namespace
}  // namespace phalanx::wire

#include "wire/dialects/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phalanx::wire {
namespace {

using ::testing::HasSubstr;

JobObject Read(const std::string& spec, const std::string& status = "{}") {
  const auto job =
      ReadJobObject(R"({"metadata":{"uid":"j"},"spec":)" + spec + R"(,"status":)" + status + "}");
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? *job : JobObject{};
}

TEST(Job, FailuresLeftAreTheLimitLessWhatHasFailed) {
  EXPECT_EQ(Read("{}"), (JobObject{"j", 6, false}));
  EXPECT_EQ(Read(R"({"backoffLimit":0})").failures_left, 0);
  EXPECT_EQ(Read(R"({"backoffLimit":4})", R"({"failed":1})").failures_left, 3);
  // Pods that have failed and are not in the count yet.
  EXPECT_EQ(Read(R"({"backoffLimit":4})",
                 R"({"failed":1,"uncountedTerminatedPods":{"failed":["a","b"]}})")
                .failures_left,
            1);
  EXPECT_EQ(Read(R"({"backoffLimit":2})", R"({"failed":3})").failures_left, 0);
}

TEST(Job, LimitsPerIndexBearOneFailureEachWhereNoneHasFailed) {
  EXPECT_EQ(Read(R"({"backoffLimitPerIndex":0})").failures_left, 0);
  EXPECT_GT(Read(R"({"backoffLimitPerIndex":1})").failures_left, 10'000);
  EXPECT_EQ(Read(R"({"backoffLimitPerIndex":2,"backoffLimit":5})").failures_left, 5);
  EXPECT_EQ(Read(R"({"backoffLimitPerIndex":1})", R"({"failed":1})").failures_left, 0);
}

std::string Policy(const std::string& rules) {
  return R"({"podFailurePolicy":{"rules":[)" + rules + "]}}";
}

TEST(Job, FirstRuleForDisruptionTargetDecides) {
  const std::string ignore =
      R"({"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]})";
  const std::string fail =
      R"({"action":"FailJob","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]})";
  const std::string codes =
      R"({"action":"FailJob","onExitCodes":{"operator":"NotIn","values":[0]}})";
  const std::string other =
      R"({"action":"FailJob","onPodConditions":[{"type":"ConfigIssue","status":"True"}]})";
  const std::string untrue =
      R"({"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"False"}]})";
  EXPECT_TRUE(Read(Policy(ignore)).ignores_disruption);
  EXPECT_TRUE(Read(Policy(codes + "," + other + "," + ignore)).ignores_disruption);
  EXPECT_FALSE(Read(Policy(fail + "," + ignore)).ignores_disruption);
  EXPECT_FALSE(Read(Policy(codes)).ignores_disruption);
  EXPECT_FALSE(Read(Policy(untrue)).ignores_disruption);
}

TEST(Job, WhatIsNoJobIsRefused) {
  for (const char* text :
       {"", "{", "[]", "7", R"("x")", R"({"spec":{}})", R"({"metadata":{"uid":"j"},"spec":[]})"}) {
    const auto job = ReadJobObject(text);
    ASSERT_FALSE(job.ok()) << text;
    EXPECT_THAT(std::string(job.status().message()), HasSubstr("expected the JSON of a Job"));
  }
  // Fields of other types are as absent.
  EXPECT_EQ(Read(R"({"backoffLimit":"x","podFailurePolicy":{"rules":"Ignore"}})"),
            (JobObject{"j", 6, false}));
}

}  // namespace
}  // namespace phalanx::wire

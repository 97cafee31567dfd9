// What nodes share: what pods ask for, and what a ClusterTopology declares.
#include "wire/dialects/shared_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "wire/dialects/topology.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

struct Asked {
  QuantityMap requests;
  std::vector<Problem> problems;
};
Asked Ask(const std::string& text) {
  Asked out;
  ReadSharedRequests({{kSharedResourcesAnnotation, text}}, out.requests, out.problems);
  return out;
}

ApiObject Topology(const std::string& spec) {
  ApiObject out;
  ReadClusterTopology(nlohmann::json::parse(R"({"spec": )" + spec + "}"), out);
  return out;
}
std::vector<SharedPool> PoolsOf(const ApiObject& object) {
  return std::get<DeclaredTopology>(object.body).pools;
}

TEST(ParseQuantityTest, WholeNumbersWithSuffixes) {
  EXPECT_EQ(ParseQuantity("0"), 0);
  EXPECT_EQ(ParseQuantity("7"), 7);
  EXPECT_EQ(ParseQuantity("3k"), 3'000);
  EXPECT_EQ(ParseQuantity("500M"), 500'000'000);
  EXPECT_EQ(ParseQuantity("2Gi"), int64_t{2} << 30);
  EXPECT_EQ(ParseQuantity("4T"), 4'000'000'000'000);
  for (const char* bad : {"", "k", "1.5G", "3m", "3K", "3kk", "3Mb", "M3", "9999999999T", "1 G"}) {
    EXPECT_EQ(ParseQuantity(bad), std::nullopt) << bad;
  }
}

TEST(SharedRequestsTest, EachBecomesARequest) {
  EXPECT_THAT(
      Ask("scratch=500M, ansys=2,none=0").requests,
      ElementsAre(Pair("shared resource ansys", 2), Pair("shared resource scratch", 500'000'000)));
  Asked none;
  ReadSharedRequests({}, none.requests, none.problems);
  EXPECT_THAT(none.requests, IsEmpty());
}

TEST(SharedRequestsTest, WhatCanNotBeReadIsNamed) {
  for (const char* bad : {"", "scratch", "scratch=", "scratch=-1", "=3", "a b=3", "scratch=99T",
                          "scratch=1,scratch=2", "scratch=1,"}) {
    const Asked asked = Ask(bad);
    EXPECT_THAT(asked.requests, IsEmpty()) << bad;
    ASSERT_THAT(asked.problems, SizeIs(1)) << bad;
    EXPECT_EQ(asked.problems[0].field, "metadata.annotations[phalanx.dev/shared-resources]");
    EXPECT_THAT(asked.problems[0].expected, HasSubstr("NAME=QUANTITY"));
  }
  EXPECT_EQ(Ask("ok=1,bad=x").problems[0].value, "bad=x");
}

TEST(SharedPoolsTest, BesideLevelsOrAlone) {
  const ApiObject alone = Topology(
      R"({"sharedResources": [{"name": "scratch", "capacity": "2G"}, {"name": "ansys", "capacity": 4}]})");
  EXPECT_THAT(alone.problems, IsEmpty());
  EXPECT_THAT(PoolsOf(alone),
              ElementsAre(SharedPool{"ansys", 4}, SharedPool{"scratch", 2'000'000'000}));
  EXPECT_THAT(std::get<DeclaredTopology>(alone.body).levels, IsEmpty());
  const ApiObject both = Topology(
      R"({"levels": [{"name": "row", "nodeLabel": "row"}], "sharedResources": [{"name": "a", "capacity": 0}]})");
  EXPECT_THAT(both.problems, IsEmpty());
  EXPECT_THAT(PoolsOf(both), ElementsAre(SharedPool{"a", 0}));
  // Neither is nothing.
  EXPECT_THAT(Topology(R"({"sharedResources": []})").problems, SizeIs(1));
}

TEST(SharedPoolsTest, BadOnesNameFieldAndValue) {
  const auto problem = [](const std::string& pools) {
    const ApiObject object = Topology(R"({"sharedResources": )" + pools + "}");
    EXPECT_THAT(PoolsOf(object), IsEmpty());
    return object.problems.empty() ? Problem() : object.problems.front();
  };
  EXPECT_EQ(problem(R"("scratch")").field, "spec.sharedResources");
  EXPECT_EQ(problem(R"([{"name": "a", "capacity": "1.5G"}])").field,
            "spec.sharedResources[0].capacity");
  EXPECT_EQ(problem(R"([{"name": "a", "capacity": -1}])").value, "-1");
  EXPECT_EQ(problem(R"([{"name": "a"}])").field, "spec.sharedResources[0].capacity");
  EXPECT_EQ(problem(R"([{"capacity": 1}])").field, "spec.sharedResources[0].name");
  EXPECT_EQ(problem(R"([{"name": "a", "capacity": 1}, {"name": "a", "capacity": 1}])").field,
            "spec.sharedResources[1].name");
}

}  // namespace
}  // namespace phalanx::wire

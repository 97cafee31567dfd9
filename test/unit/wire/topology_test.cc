#include "wire/dialects/topology.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "wire/dialects/dialects.h"

namespace phalanx::wire {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

ApiObject Parse(const char* kind, const std::string& json) {
  const auto kinds = WatchedKinds();
  const auto row = std::ranges::find_if(
      kinds, [kind](const WatchedKind& watched) { return std::string(kind) == watched.kind; });
  return ReadObject(*row, {kind, "", "default"}, "u1", json);
}

DeclaredTopology Levels(const char* kind, const std::string& levels) {
  const ApiObject object = Parse(kind, R"({"spec": {"levels": [)" + levels + "]}}");
  EXPECT_THAT(object.problems, IsEmpty()) << levels;
  return std::get<DeclaredTopology>(object.body);
}

auto ProblemIs(const std::string& field, const std::string& value, const std::string& expected) {
  return AllOf(Field(&Problem::field, field), Field(&Problem::value, value),
               Field(&Problem::expected, HasSubstr(expected)));
}

TEST(ClusterTopology, IsReadInTheOrderOfItsLevels) {
  EXPECT_EQ(Levels(kClusterTopologyKind,
                   R"({"name": "hall", "nodeLabel": "example.com/hall"},
                      {"name": "rack", "nodeLabel": "nvidia.com/gpu.clique", "part": "BeforeDot"},
                      {"name": "nvlink", "nodeLabel": "nvidia.com/gpu.clique", "part": "Whole"},
                      {"name": "rail", "nodeLabel": "example.com/rail", "crosses": "rack"},
                      {"name": "node", "nodeLabel": "kubernetes.io/hostname"})"),
            (DeclaredTopology{0,
                              true,
                              {{"hall", "example.com/hall", false},
                               {"rack", "nvidia.com/gpu.clique", true},
                               {"nvlink", "nvidia.com/gpu.clique", false},
                               {"rail", "example.com/rail", false, "rack"}}}));
}

TEST(ClusterTopology, ReadsUplinksInMegabytesPerSecond) {
  const auto levels = Levels(kClusterTopologyKind, R"(
      {"name": "a", "nodeLabel": "a", "uplink": {"gigabytesPerSecond": 400, "hard": true}},
      {"name": "b", "nodeLabel": "b", "uplink": {"gigabytesPerSecond": "12.5"}},
      {"name": "c", "nodeLabel": "c", "uplink": {"gigabytesPerSecond": 1000000, "hard": false}},
      {"name": "d", "nodeLabel": "d"})")
                          .levels;
  EXPECT_EQ(levels[0].uplink, (Uplink{400'000, true}));
  EXPECT_EQ(levels[1].uplink, (Uplink{12'500, false}));
  EXPECT_EQ(levels[2].uplink, (Uplink{1'000'000'000, false}));
  EXPECT_EQ(levels[3].uplink, Uplink());
}

TEST(ClusterTopology, AnUplinkThatCanNotBeIsNamed) {
  const auto refused = [](const char* uplink, const char* field, const char* value,
                          const char* expected, const char* more = "") {
    const ApiObject object =
        Parse(kClusterTopologyKind,
              fmt::format(R"({{"spec": {{"levels": [{{"name": "a", "nodeLabel": "a"}},
                        {{"name": "b", "nodeLabel": "b", "uplink": {} {}}}]}}}})",
                          uplink, more));
    EXPECT_THAT(object.problems, ElementsAre(ProblemIs(field, value, expected))) << uplink;
    EXPECT_THAT(std::get<DeclaredTopology>(object.body).levels, IsEmpty()) << uplink;
  };
  constexpr char kRate[] = "spec.levels[1].uplink.gigabytesPerSecond";
  refused("{}", kRate, "", "GB/s from 0.001 to 1000000");
  for (const char* bad : {"0", "-1", "1.5", "1000001", "true", "[]"}) {
    refused(fmt::format(R"({{"gigabytesPerSecond": {}}})", bad).c_str(), kRate, bad, "12.5");
  }
  for (const char* bad : {"0", "-1", "1.0001", "1000000.001", "fast", "", "1 GB/s"}) {
    refused(fmt::format(R"({{"gigabytesPerSecond": "{}"}})", bad).c_str(), kRate, bad, "12.5");
  }
  refused("7", "spec.levels[1].uplink", "7", "an object");
  refused(R"({"gigabytesPerSecond": 1, "hard": "yes"})", "spec.levels[1].uplink.hard", "yes",
          "true or false");
  refused(R"({"gigabytesPerSecond": 1})", "spec.levels[1].uplink", R"({"gigabytesPerSecond":1})",
          "crosses another", R"(, "crosses": "a")");
}

TEST(ClusterTopology, TheHostHasNoUplink) {
  const ApiObject object = Parse(kClusterTopologyKind, R"({"spec": {"levels": [
      {"name": "a", "nodeLabel": "a"},
      {"name": "n", "nodeLabel": "kubernetes.io/hostname", "uplink": {"gigabytesPerSecond": 1}}]}})");
  EXPECT_THAT(object.problems, ElementsAre(ProblemIs("spec.levels[1].uplink",
                                                     R"({"gigabytesPerSecond":1})", "no uplink")));
}

TEST(ClusterTopology, KnowsWhichGenerationWasFollowed) {
  const ApiObject good = Parse(kClusterTopologyKind, R"({"metadata": {"generation": 7},
                                "spec": {"levels": [{"name": "row", "nodeLabel": "a/row"}]}})");
  EXPECT_EQ(good.generation, 7);
  EXPECT_EQ(good.followed_generation, 7);
  const ApiObject bad =
      Parse(kClusterTopologyKind, R"({"metadata": {"generation": 8}, "spec": {"levels": 1}})");
  EXPECT_EQ(bad.generation, 8);
  EXPECT_EQ(bad.followed_generation, 0);
}

TEST(KueueTopology, NamesItsLevelsByWellKnownLabelsElseByTheirLastPart) {
  EXPECT_EQ(Levels(kKueueTopologyKind,
                   R"({"nodeLabel": "topology.kubernetes.io/zone"},
                      {"nodeLabel": "cloud.google.com/gce-topology-block"},
                      {"nodeLabel": "example.com/row"}, {"nodeLabel": "example.org/row"},
                      {"nodeLabel": "nvidia.com/gpu.clique"},
                      {"nodeLabel": "kubernetes.io/hostname"})"),
            (DeclaredTopology{1,
                              false,
                              {{"zone", "topology.kubernetes.io/zone"},
                               {"block", "cloud.google.com/gce-topology-block"},
                               {"row", "example.com/row"},
                               {"example.org/row", "example.org/row"},
                               {"nvlink", "nvidia.com/gpu.clique"}}}));
}

TEST(KaiTopology, ReadsItsAliases) {
  EXPECT_EQ(Levels(kKaiTopologyKind,
                   R"({"nodeLabel": "example.com/a", "alias": "row"}, {"nodeLabel": "rack"})"),
            (DeclaredTopology{2, false, {{"row", "example.com/a"}, {"rack", "rack"}}}));
}

struct Bad {
  const char* levels;
  const char* field;
  const char* value;
  const char* expected;
};

TEST(ClusterTopology, WhatCanNotBeMeantIsNamedAndNothingIsFollowed) {
  const Bad all[] = {
      {"7", "spec.levels", "7", "a list of 1 to 16"},
      {"[]", "spec.levels", "0 levels", "a list of 1 to 16"},
      {R"([7])", "spec.levels[0].nodeLabel", "", "the key of a node label"},
      {R"([{"name": "a", "nodeLabel": "b c"}])", "spec.levels[0].nodeLabel", "b c", "the key"},
      {R"([{"name": "a", "nodeLabel": 4}])", "spec.levels[0].nodeLabel", "4", "a text"},
      {R"([{"name": "", "nodeLabel": "a"}])", "spec.levels[0].name", "", "a name"},
      {R"([{"name": "host", "nodeLabel": "a"}])", "spec.levels[0].name", "host", "always there"},
      {R"([{"name": "a", "nodeLabel": "kubernetes.io/hostname"},
           {"name": "b", "nodeLabel": "b"}])",
       "spec.levels[0].nodeLabel", "kubernetes.io/hostname", "only as the last level"},
      {R"([{"name": "a", "nodeLabel": "a"}, {"name": "a", "nodeLabel": "b"}])",
       "spec.levels[1].name", "a", "no level above has"},
      {R"([{"name": "a", "nodeLabel": "a"}, {"name": "b", "nodeLabel": "a"}])",
       "spec.levels[1].nodeLabel", "a", "no level above reads"},
      {R"([{"name": "a", "nodeLabel": "a", "part": "Middle"}])", "spec.levels[0].part", "Middle",
       "Whole or BeforeDot"},
      {R"([{"name": "a", "nodeLabel": "a"}, {"name": "b", "nodeLabel": "b", "crosses": "b"}])",
       "spec.levels[1].crosses", "b", "the name of a level above"},
      {R"([{"name": "a", "nodeLabel": "a", "crosses": "b"}, {"name": "b", "nodeLabel": "b"}])",
       "spec.levels[0].crosses", "b", "the name of a level above"},
      {R"([{"name": "a", "nodeLabel": "a", "crosses": 1}])", "spec.levels[0].crosses", "1",
       "a text"},
  };
  for (const Bad& bad : all) {
    const ApiObject object =
        Parse(kClusterTopologyKind, fmt::format(R"({{"spec": {{"levels": {}}}}})", bad.levels));
    EXPECT_THAT(object.problems, testing::Contains(ProblemIs(bad.field, bad.value, bad.expected)))
        << bad.levels;
    EXPECT_THAT(std::get<DeclaredTopology>(object.body).levels, IsEmpty()) << bad.levels;
  }
}

TEST(ClusterTopology, SixteenLevelsAndNotSeventeen) {
  for (int count : {16, 17}) {
    std::string levels;
    for (int i = 0; i < count; ++i) {
      levels += fmt::format(R"({}{{"name": "l{}", "nodeLabel": "example.com/l{}"}})",
                            i > 0 ? "," : "", i, i);
    }
    const ApiObject object =
        Parse(kClusterTopologyKind, R"({"spec": {"levels": [)" + levels + "]}}");
    EXPECT_EQ(object.problems.empty(), count == 16);
    EXPECT_EQ(std::get<DeclaredTopology>(object.body).levels.size(), count == 16 ? 16u : 0u);
  }
}

TEST(ClusterTopology, WithoutLevelsIsAProblem) {
  EXPECT_THAT(Parse(kClusterTopologyKind, R"({"spec": {}})").problems,
              ElementsAre(ProblemIs("spec.levels", "", "a list")));
}

}  // namespace
}  // namespace phalanx::wire

#include "wire/dialects/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "wire/dialects/dialects.h"

namespace phalanx::wire {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

ApiObject Parse(const std::string& spec) {
  const auto kinds = WatchedKinds();
  const auto row = std::ranges::find_if(kinds, [](const WatchedKind& watched) {
    return std::string(watched.kind) == kGangQueueKind;
  });
  return ReadObject(*row, {kGangQueueKind, "", "vision"}, "u1",
                    R"({"metadata": {"generation": 3}, "spec": )" + spec + "}");
}

auto ProblemIs(const std::string& field, const std::string& value, const std::string& expected) {
  return ElementsAre(AllOf(Field(&Problem::field, field), Field(&Problem::value, value),
                           Field(&Problem::expected, HasSubstr(expected))));
}

TEST(GangQueueDialect, AllOfIt) {
  const ApiObject object = Parse(R"({"parent": "research", "limit": {"devices": 64},
      "paused": {"by": "ann", "reason": "new switches"}})");
  EXPECT_THAT(object.problems, IsEmpty());
  EXPECT_EQ(std::get<DeclaredQueue>(object.body),
            (DeclaredQueue{"research", 64, true, "ann", "new switches"}));
  EXPECT_EQ(object.generation, 3);
  EXPECT_EQ(object.followed_generation, 3);
}

TEST(GangQueueDialect, NothingSaidIsAQueueAtTheTopWithoutALimit) {
  EXPECT_EQ(std::get<DeclaredQueue>(Parse("{}").body), (DeclaredQueue{"", std::nullopt}));
}

TEST(GangQueueDialect, WhatCanNotBeFollowedIsToldWithFieldAndValue) {
  EXPECT_THAT(Parse(R"({"limit": {"devices": -1}})").problems,
              ProblemIs("spec.limit.devices", "-1", "0 to 1000000000"));
  EXPECT_THAT(Parse(R"({"limit": {"devices": "3"}})").problems,
              ProblemIs("spec.limit.devices", "\"3\"", "a whole number"));
  EXPECT_THAT(Parse(R"({"limit": {"devices": 1000000001}})").problems,
              ProblemIs("spec.limit.devices", "1000000001", "to 1000000000"));
  EXPECT_THAT(Parse(R"({"parent": "vision"})").problems,
              ProblemIs("spec.parent", "vision", "another queue"));
  EXPECT_THAT(Parse(R"({"parent": 7})").problems, ProblemIs("spec.parent", "7", "a text"));
  EXPECT_EQ(Parse(R"({"parent": 7})").followed_generation, 0);
}

}  // namespace
}  // namespace phalanx::wire

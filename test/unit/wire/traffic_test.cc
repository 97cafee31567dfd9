// What the members of a gang send to each other, from an annotation.
#include "wire/dialects/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/dialects/label.h"

namespace phalanx::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Membership Read(const std::string& text) {
  const LabelMap labels{{kGangLabel, "a"}, {kGangSizeLabel, "16"}};
  const LabelMap annotations{{kTrafficAnnotation, text}};
  return *ReadLabelDialect({"team", "a-0", labels, annotations});
}

TEST(TrafficTest, ReadsPatternsInMegabytesPerSecond) {
  const Membership m = Read("dp:2.5, tp:40,pp:0.001,ep:10000,all-to-all:7.25");
  EXPECT_EQ(m.traffic, (Traffic{2500, 40'000, 1, 10'000'000, 7250}));
  EXPECT_THAT(m.problems, IsEmpty());
  EXPECT_EQ(Read("pp:1").traffic, (Traffic{.pp = 1000}));
}

TEST(TrafficTest, WhatCanNotBeMeantIsRefusedWithItsText) {
  for (const char* bad :
       {"",       "dp",        "dp:",       "dp:x",  "dp:-1",        "dp:0",
        "dp:1e3", "dp:1.2345", "dp:.5",     "dp:1.", "dp:10000.001", "dp:99999999999999999999",
        "ring:1", "DP:1",      "dp:1,dp:2", "dp:1,", ",dp:1",        "dp:1;tp:2",
        "dp=1",   "dp: 1"}) {
    const Membership m = Read(bad);
    EXPECT_FALSE(m.traffic.Any()) << bad;
    EXPECT_THAT(m.problems,
                ElementsAre(testing::AllOf(
                    testing::Field(&Problem::field, "metadata.annotations[phalanx.dev/traffic]"),
                    testing::Field(&Problem::value, bad),
                    testing::Field(&Problem::expected, HasSubstr("all-to-all")))));
  }
}

}  // namespace
}  // namespace phalanx::wire

// The bucket that all status and event writes draw on.
#include "core/engine/write_budget.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

TEST(WriteBudget, BeginsWithASecondsWorthAndFillsNoFurther) {
  WriteBudget budget(20);
  budget.Refill(Time{5'000});
  int spent = 0;
  for (; budget.Has(); ++spent) budget.Spend();
  EXPECT_EQ(spent, 20);
  budget.Refill(Time{3'600'000});
  for (spent = 0; budget.Has(); ++spent) budget.Spend();
  EXPECT_EQ(spent, 20);
}

TEST(WriteBudget, GivesOneWriteEvery50MillisecondsAt20ASecond) {
  WriteBudget budget(20);
  budget.Refill(Time{1'000'000});
  while (budget.Has()) budget.Spend();
  EXPECT_EQ(budget.NextAt(), Time{1'000'050});
  budget.Refill(Time{1'000'049});
  EXPECT_FALSE(budget.Has());
  budget.Refill(Time{1'000'050});
  EXPECT_TRUE(budget.Has());
  budget.Spend();
  EXPECT_FALSE(budget.Has());
}

TEST(WriteBudget, WhatWasOverdrawnIsWaitedFor) {
  WriteBudget budget(1);
  budget.Refill(Time{1'000'000});
  budget.Spend();
  budget.Spend();
  EXPECT_EQ(budget.NextAt(), Time{1'002'000});
}

// A rate that does not divide a second: no write is lost to rounding, and none is won.
TEST(WriteBudget, KeepsItsRateOverAnHour) {
  WriteBudget budget(7);
  Time now{1'000'000};
  budget.Refill(now);
  while (budget.Has()) budget.Spend();
  int64_t spent = 0;
  for (const Time end = now + Duration::Seconds(3600); now < end; now = now + Duration{13}) {
    budget.Refill(now);
    for (; budget.Has(); ++spent) budget.Spend();
  }
  EXPECT_GE(spent, 7 * 3600 - 1);
  EXPECT_LE(spent, 7 * 3600);
}

}  // namespace
}  // namespace phalanx

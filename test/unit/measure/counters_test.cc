#include "core/measure/counters.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

TEST(CountersTest, SumsAndMaxima) {
  Counters counters;
  counters.CountPlan("fits", 10);
  counters.CountPlan("Capacity", 5);
  counters.CountPlan("Capacity", 5);
  counters.CountDirective("admit");
  counters.CountConflict("NodeResourcesFit");
  counters.CountRefused("stale plan");
  counters.CountPartialSpell(Duration::Seconds(2));
  counters.CountPartialSpell(Duration::Seconds(5));
  StatsView view;
  counters.MoveTo(&view);
  EXPECT_EQ(view.placements["Capacity"], 2);
  EXPECT_EQ(view.placements["fits"], 1);
  EXPECT_EQ(view.plans, 3);
  EXPECT_EQ(view.planning_work_units, 20);
  EXPECT_EQ(view.directives["admit"], 1);
  EXPECT_EQ(view.conflicts["NodeResourcesFit"], 1);
  EXPECT_EQ(view.refused_input["stale plan"], 1);
  EXPECT_EQ(view.partial_spells, 2);
  EXPECT_EQ(view.partial_spell_ms_total, 7000);
  EXPECT_EQ(view.partial_spell_ms_max, 5000);
}

TEST(CountersTest, WaitsAreHandedOutOnce) {
  Counters counters;
  counters.CountStart(Duration::Seconds(3));
  StatsView first, second;
  counters.MoveTo(&first);
  counters.MoveTo(&second);
  EXPECT_EQ(first.waited_ms, (std::vector<int64_t>{3000}));
  EXPECT_TRUE(second.waited_ms.empty());
}

}  // namespace
}  // namespace phalanx

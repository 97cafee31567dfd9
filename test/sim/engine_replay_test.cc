// A recorded trace through the engine of production: nothing is lost, nothing overlaps.
#include "sim/trace/engine_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace phalanx::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;

constexpr ReplaySettings kTwentyNodes{.nodes = 20};

Trace First(size_t jobs) {
  Trace trace = ReadPhilly("test/data/philly-2017/philly.csv.gz");
  trace.jobs.resize(std::min(jobs, trace.jobs.size()));
  return trace;
}

// The most GPUs in use at once; ends count before starts.
int64_t MostInUse(const Trace& trace, const ReplayResult& result) {
  std::map<int64_t, int64_t> change;
  for (size_t i = 0; i < trace.jobs.size(); ++i) {
    change[result.start_s[i]] += trace.jobs[i].gpus;
    change[result.start_s[i] + trace.jobs[i].run_s] -= trace.jobs[i].gpus;
  }
  int64_t now = 0;
  int64_t most = 0;
  for (const auto& [at, by] : change) most = std::max(most, now += by);
  return most;
}

TEST(EngineReplay, EveryJobStartsOnceAndRoomIsNeverUsedTwice) {
  const Trace trace = First(1'200);
  const EngineReplay replay = ReplayThroughEngine(trace, kTwentyNodes);
  ASSERT_EQ(replay.error, "");
  EXPECT_THAT(replay.result.start_s, Each(Ge(0)));
  for (size_t i = 0; i < trace.jobs.size(); ++i) {
    ASSERT_GE(replay.result.start_s[i], trace.jobs[i].submit_s) << "line " << trace.jobs[i].line;
  }
  EXPECT_LE(MostInUse(trace, replay.result), 20 * 8);
  EXPECT_GT(replay.result.max_queue, 10);  // the nodes were short
}

TEST(EngineReplay, IsTheSameEachTime) {
  const Trace trace = First(500);
  const EngineReplay one = ReplayThroughEngine(trace, kTwentyNodes);
  const EngineReplay two = ReplayThroughEngine(trace, kTwentyNodes);
  EXPECT_EQ(one.result.start_s, two.result.start_s);
  EXPECT_EQ(one.commands, two.commands);
}

// 12 GPUs are a node and a half: a gang of two members, which waits for both.
TEST(EngineReplay, AWideJobStartsWhole) {
  Trace trace;
  trace.jobs = {{0, 100, 8, "", 1}, {1, 10, 12, "", 2}, {2, 10, 4, "", 3}};
  const EngineReplay replay = ReplayThroughEngine(trace, {.nodes = 2});
  ASSERT_EQ(replay.error, "");
  EXPECT_THAT(replay.result.start_s, ElementsAre(0, 100, 2));
  EXPECT_EQ(replay.pods, 4);
}

TEST(EngineReplay, AJobThatNeverFitsIsAnError) {
  Trace trace;
  trace.jobs = {{0, 100, 24, "", 1}};
  EXPECT_EQ(ReplayThroughEngine(trace, {.nodes = 2}).error, "1 jobs never started");
}

}  // namespace
}  // namespace phalanx::sim

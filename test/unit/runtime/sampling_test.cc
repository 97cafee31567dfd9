// What guards a production engine: sampled checks of its state, and the position of a check that
// breaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "runtime/brain.h"
#include "runtime/invariant_sampler.h"

namespace phalanx::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{60};

TEST(InvariantSampler, IsBoundedInRateAndShare) {
  const InvariantSampler::Clock::time_point start{seconds(1000)};
  InvariantSampler sampler(seconds(10), 100);
  EXPECT_TRUE(sampler.Due(start, 100));
  EXPECT_FALSE(sampler.Due(start, 101)) << "too many pods";
  sampler.Done(start, start + milliseconds(5));
  EXPECT_FALSE(sampler.Due(start + seconds(10), 1));
  EXPECT_TRUE(sampler.Due(start + seconds(10) + milliseconds(5), 1));
  sampler.Done(start, start + seconds(2));  // a slow one
  EXPECT_FALSE(sampler.Due(start + seconds(201), 1));
  EXPECT_TRUE(sampler.Due(start + seconds(202), 1));
  EXPECT_FALSE(InvariantSampler(milliseconds(0), 100).Due(start, 1)) << "a period of 0: never";
}

int64_t ChecksOf(const Brain& brain) {
  int64_t out = 0;
  for (int64_t count : brain.metrics().check.Read().counts) out += count;
  return out;
}

TEST(BrainSampling, CountsAndTellsWhatIsBroken) {
  std::promise<std::vector<std::string>> told;
  std::atomic<bool> once{false};
  BrainOptions options;
  options.find_violations = [](const Engine&) {
    return std::vector<std::string>{"ledger: sums differ", "answer is stale"};
  };
  options.on_violations = [&](const std::vector<std::string>& found, int64_t commands) {
    EXPECT_GE(commands, 0);
    if (!once.exchange(true)) told.set_value(found);
  };
  Brain brain(options);
  brain.Start();
  std::future<std::vector<std::string>> future = told.get_future();
  ASSERT_EQ(future.wait_for(kPatience), std::future_status::ready);
  EXPECT_THAT(future.get(), ::testing::ElementsAre("ledger: sums differ", "answer is stale"));
  EXPECT_EQ(brain.metrics().violations.load() % 2, 0);
  EXPECT_GE(brain.metrics().violations.load(), 2);
  EXPECT_GE(ChecksOf(brain), 1);
}

TEST(BrainSampling, FindsNothingInAnEngineThatIsRight) {
  BrainOptions options;
  options.invariant_period = milliseconds(1);
  Brain brain(options);
  brain.Start();
  brain.Connect(1, "adapter", nullptr);
  Changes changes;
  for (int i = 0; i < 20; ++i) {
    NodeObject& node = changes.nodes.emplace_back();
    node.name = node.uid = "n" + std::to_string(i);
    node.allocatable = {{"cpu", 1000}, {"nvidia.com/gpu", 8}};
  }
  CommandBody body = changes;
  ASSERT_TRUE(brain.Post(1, body));
  body = SyncDone{};
  ASSERT_TRUE(brain.Post(1, body));
  int64_t before = ChecksOf(brain);
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (ChecksOf(brain) < before + 3 && std::chrono::steady_clock::now() < end) {
    brain.Query([](const Engine& engine) { return engine.synced(); }, kPatience);
  }
  EXPECT_GE(ChecksOf(brain), before + 3);
  EXPECT_EQ(brain.metrics().violations.load(), 0);
}

// A brain whose engine thread breaks a check while it looks.
void BreakInAQuery() {
  Brain brain({});
  brain.Start();
  brain.Connect(7, "adapter", nullptr);
  brain.Query([](const Engine& engine) { return engine.epoch(); }, kPatience);
  brain.Query(
      [](const Engine& engine) {
        PHALANX_CHECK(engine.epoch() != 7, "on purpose");
        return 0;
      },
      kPatience);
}

// A command that only a mistake of ours can make: a node without a name is refused in wire.
void BreakInACommand() {
  Brain brain({});
  brain.Start();
  brain.Connect(7, "adapter", nullptr);
  Changes changes;
  changes.nodes.emplace_back();
  CommandBody body = changes;
  brain.Post(7, body);
  brain.Query([](const Engine&) { return 0; }, kPatience);
}

TEST(BrainDeathTest, ABrokenCheckTellsItsPosition) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(BreakInAQuery(), "on purpose .after command 1 of epoch 7.");
  EXPECT_DEATH(BreakInACommand(), "check failed: .* .command 2 .Changes. of epoch 7.");
}

}  // namespace
}  // namespace phalanx::runtime

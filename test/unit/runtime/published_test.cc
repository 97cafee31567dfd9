// Published copies: one for many readers, a new one when something happened, an old one rather than
// none.
#include "runtime/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace phalanx::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000};

struct Look {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  int operator()(const Engine& /*engine*/) const { return ++*made; }
};

// Keeps the engine thread until the end of its life.
class Hold {
 public:
  explicit Hold(Brain& brain) {
    thread_ = std::thread([this, &brain] {
      brain.Query(
          [this](const Engine&) {
            held_.set_value();
            end_.get_future().wait();
            return true;
          },
          kPatience);
    });
    held_.get_future().wait();
  }
  ~Hold() {
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> held_, end_;
  std::thread thread_;
};

TEST(PublishedTest, ManyReadersShareACopy) {
  Brain brain({});
  brain.Start();
  Look look;
  Published<int> published(brain, look);
  ASSERT_TRUE(published.Get(kPatience).copy);
  // A copy ages in a second: on a machine that stands still one more may be made.
  bool shared = false;
  for (int i = 0; i < 100 && !shared; ++i) {
    shared = published.Get(kPatience).copy == published.Get(kPatience).copy;
  }
  EXPECT_TRUE(shared);
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (int j = 0; j < 50; ++j) EXPECT_TRUE(published.Get(kPatience).copy);
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_LE(published.Get(kPatience).copy->value, look.made->load());
}

TEST(PublishedTest, ACommandMakesTheCopyOld) {
  Brain brain({});
  brain.Start();
  Published<int> published(brain, Look());
  const auto before = published.Get(kPatience).copy;
  ASSERT_TRUE(before);
  EXPECT_EQ(before->stamp.epoch, 0u);
  brain.Connect(7, "adapter", nullptr);
  std::shared_ptr<const Published<int>::Copy> after = before;
  // Its turn comes when kShare times the cost of the last one has passed.
  while (after->stamp.epoch != 7) after = published.Get(kPatience).copy;
  EXPECT_GT(after->stamp.commands, before->stamp.commands);
  EXPECT_GE(after->stamp.as_of, before->stamp.as_of);
  EXPECT_GT(after->value, before->value);
}

TEST(PublishedTest, AnOldCopyIsBetterThanNone) {
  Brain brain({});
  brain.Start();
  Published<int> published(brain, Look());
  {
    Hold hold(brain);
    const auto none = published.Get(milliseconds(1));
    EXPECT_FALSE(none.copy);
    EXPECT_EQ(none.error, QueryError::kTimeout);
  }
  const auto first = published.Get(kPatience).copy;
  ASSERT_TRUE(first);
  Hold hold(brain);
  brain.Connect(7, "adapter", nullptr);
  EXPECT_EQ(published.Get(milliseconds(1)).copy, first);
}

TEST(PublishedTest, AStoppedBrainAnswersNothing) {
  Brain brain({});
  brain.Start();
  Published<int> published(brain, Look());
  brain.Stop();
  EXPECT_EQ(published.Get(kPatience).error, QueryError::kStopped);
}

}  // namespace
}  // namespace phalanx::runtime

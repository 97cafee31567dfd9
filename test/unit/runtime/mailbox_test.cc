// The mailbox: bounds, order of lanes, and that whoever was refused hears of room.
#include "runtime/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace phalanx::runtime {
namespace {

Envelope Fact(const std::string& uid) {
  MemberFact fact;
  fact.pod_uid = uid;
  return {1, fact, nullptr, {}};
}

Envelope Bulk(size_t pods) {
  Changes changes;
  changes.pods.resize(pods);
  return {1, changes, nullptr, {}};
}

std::string UidOf(const Mailbox::Taken& taken) {
  return std::get<MemberFact>(taken.envelope.body).pod_uid;
}

TEST(Mailbox, TakesControlThenFactsThenBulk) {
  Mailbox mailbox(8, 8, 8);
  Envelope bulk = Bulk(1), fact = Fact("a"), connect{2, Connect{2, "x"}, nullptr, {}};
  ASSERT_TRUE(mailbox.Post(Lane::kBulk, bulk));
  ASSERT_TRUE(mailbox.Post(Lane::kFact, fact));
  ASSERT_TRUE(mailbox.Post(Lane::kControl, connect));
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kControl);
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kFact);
  EXPECT_FALSE(mailbox.Take(false).has_value()) << "bulk waits for its turn";
  EXPECT_EQ(mailbox.Take(true)->lane, Lane::kBulk);
  EXPECT_FALSE(mailbox.Take(true).has_value());
}

TEST(Mailbox, KeepsTheOrderWithinALane) {
  Mailbox mailbox(8, 8, 8);
  for (const char* uid : {"a", "b", "c"}) {
    Envelope fact = Fact(uid);
    ASSERT_TRUE(mailbox.Post(Lane::kFact, fact));
  }
  EXPECT_EQ(UidOf(*mailbox.Take(true)), "a");
  EXPECT_EQ(UidOf(*mailbox.Take(true)), "b");
  EXPECT_EQ(UidOf(*mailbox.Take(true)), "c");
}

TEST(Mailbox, AFullLaneRefusesAndLeavesTheMessageAlone) {
  Mailbox mailbox(2, 8, 8);
  for (const char* uid : {"a", "b"}) {
    Envelope fact = Fact(uid);
    ASSERT_TRUE(mailbox.Post(Lane::kFact, fact));
  }
  Envelope third = Fact("c");
  EXPECT_FALSE(mailbox.Post(Lane::kFact, third));
  EXPECT_EQ(std::get<MemberFact>(third.body).pod_uid, "c");
  EXPECT_EQ(mailbox.Stats(Lane::kFact).refused, 1);
  Envelope bulk = Bulk(1);
  EXPECT_TRUE(mailbox.Post(Lane::kBulk, bulk)) << "lanes are bounded one by one";
  for (int i = 0; i < 100; ++i) {
    Envelope control{9, Disconnect{}, nullptr, {}};
    EXPECT_TRUE(mailbox.Post(Lane::kControl, control));
  }
}

TEST(Mailbox, BulkIsWeighedByItsObjects) {
  Mailbox mailbox(8, 100, 8);
  Envelope heavy = Bulk(1000), next = Bulk(1);
  EXPECT_TRUE(mailbox.Post(Lane::kBulk, heavy)) << "one message goes in however heavy it is";
  EXPECT_FALSE(mailbox.Post(Lane::kBulk, next));
  EXPECT_EQ(mailbox.Stats(Lane::kBulk).weight, 1001u);
  while (mailbox.Take(true).has_value()) {
  }
  EXPECT_EQ(mailbox.Stats(Lane::kBulk).weight, 0u);
  EXPECT_TRUE(mailbox.Post(Lane::kBulk, next));
}

TEST(Mailbox, RoomIsToldOnceWhenTheLaneIsHalfEmpty) {
  Mailbox mailbox(4, 4, 4);
  for (int i = 0; i < 4; ++i) {
    Envelope fact = Fact("x");
    ASSERT_TRUE(mailbox.Post(Lane::kFact, fact));
  }
  int told = 0;
  mailbox.WhenRoom(Lane::kFact, [&told] { ++told; });
  mailbox.Take(true);
  EXPECT_EQ(told, 0) << "3 of 4 are still there";
  mailbox.Take(true);
  EXPECT_EQ(told, 1);
  mailbox.Take(true);
  EXPECT_EQ(told, 1);
  mailbox.WhenRoom(Lane::kFact, [&told] { ++told; });
  EXPECT_EQ(told, 2) << "there is room already";
}

TEST(Mailbox, QueriesAreBounded) {
  Mailbox mailbox(4, 4, 1);
  EXPECT_TRUE(mailbox.PostQuery([](Engine&) {}));
  EXPECT_FALSE(mailbox.PostQuery([](Engine&) {}));
  EXPECT_EQ(mailbox.TakeQueries().size(), 1u);
  EXPECT_TRUE(mailbox.PostQuery([](Engine&) {}));
}

TEST(Mailbox, ManyWritersLoseNothing) {
  constexpr int kWriters = 4, kEach = 2000;
  Mailbox mailbox(64, 64, 4);
  std::atomic<int> refused{0};
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        Envelope fact = Fact("x");
        while (!mailbox.Post(Lane::kFact, fact)) {
          ++refused;
          std::this_thread::yield();
        }
      }
    });
  }
  int taken = 0;
  while (taken < kWriters * kEach) {
    if (mailbox.Take(true)) {
      ++taken;
    } else {
      mailbox.Wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_FALSE(mailbox.Take(true).has_value());
  EXPECT_EQ(mailbox.Stats(Lane::kFact).refused, refused.load());
}

}  // namespace
}  // namespace phalanx::runtime

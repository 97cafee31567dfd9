#include "core/order/waiting_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace phalanx {
namespace {

OrderKey Key(bool repair, int32_t priority, int64_t since, const std::string& name) {
  return {repair, priority, Time{since}, {"ns", "label", name}};
}

TEST(WaitingQueueTest, RepairsThenPriorityThenAgeThenKey) {
  WaitingQueue queue;
  queue.Insert(Key(false, 0, 5, "old"), GangId(0));
  queue.Insert(Key(false, 10, 9, "important"), GangId(1));
  queue.Insert(Key(true, -5, 99, "broken"), GangId(2));
  queue.Insert(Key(false, 0, 5, "a-twin"), GangId(3));
  queue.Insert(Key(false, 0, 6, "young"), GangId(4));
  std::vector<uint32_t> order;
  for (const auto& [key, id] : queue.entries()) order.push_back(id.value());
  EXPECT_EQ(order, (std::vector<uint32_t>{2, 1, 3, 0, 4}));
  queue.Erase(Key(true, -5, 99, "broken"));
  EXPECT_EQ(queue.entries().begin()->second, GangId(1));
}

TEST(WaitingQueueTest, PositionCountsThoseBefore) {
  WaitingQueue queue;
  EXPECT_EQ(queue.Position(Key(false, 0, 5, "x")), 1);
  for (int i = 0; i < 100; ++i) queue.Insert(Key(false, 0, i, "g"), GangId(i));
  EXPECT_EQ(queue.Position(Key(false, 0, 0, "g")), 1);
  EXPECT_EQ(queue.Position(Key(false, 0, 99, "g")), 100);
  queue.Erase(Key(false, 0, 50, "g"));
  queue.Insert(Key(true, 0, 7, "broken"), GangId(100));
  queue.Erase(Key(false, 0, 51, "g"));
  EXPECT_EQ(queue.Position(Key(false, 0, 99, "g")), 99);
  // Also of one that is not in it.
  EXPECT_EQ(queue.Position(Key(false, 0, 50, "g")), 52);
}

// A comparison that is no strict total order would let the place in the queue depend on arrival.
TEST(WaitingQueueTest, OrderIsStrictAndTotal) {
  std::mt19937 random(7);
  std::vector<OrderKey> keys;
  for (int i = 0; i < 60; ++i) {
    keys.push_back(Key(random() % 2 == 0, static_cast<int32_t>(random() % 3) - 1,
                       static_cast<int64_t>(random() % 3), std::string(1, 'a' + random() % 3)));
  }
  for (const OrderKey& a : keys) {
    for (const OrderKey& b : keys) {
      EXPECT_EQ((a < b) + (b < a) + (a == b), 1);
      for (const OrderKey& c : keys) {
        if (a < b && b < c) {
          EXPECT_LT(a, c);
        }
      }
    }
  }
  std::vector<OrderKey> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  std::shuffle(keys.begin(), keys.end(), random);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, sorted);
}

}  // namespace
}  // namespace phalanx

#include "core/order/queue_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace phalanx {
namespace {

using Declared = std::map<std::string, DeclaredQueue>;

DeclaredQueue Below(const std::string& parent) { return {.parent = parent}; }
DeclaredQueue Limited(const std::string& parent, int64_t limit) {
  return {.parent = parent, .limit = limit};
}

std::string OverIn(const QueueTree& tree, const std::string& queue, int64_t devices) {
  const QueueTree::Queue* over = tree.FirstOver(queue, devices);
  return over == nullptr ? "none" : over->name;
}

TEST(QueueTreeTest, LimitsHoldAllTheWayUp) {
  QueueTree tree;
  tree.Declare({{"research", Limited("", 10)},
                {"vision", Limited("research", 6)},
                {"language", Below("research")}});
  tree.Charge("vision", 4);
  tree.Charge("language", 5);
  EXPECT_EQ(tree.Find("research")->devices, 9);
  EXPECT_EQ(OverIn(tree, "vision", 1), "none");
  EXPECT_EQ(OverIn(tree, "vision", 2), "research");
  EXPECT_EQ(OverIn(tree, "vision", 3), "vision");
  EXPECT_EQ(OverIn(tree, "language", 2), "research");
  tree.Charge("language", -5);
  EXPECT_EQ(OverIn(tree, "vision", 2), "none");
}

TEST(QueueTreeTest, TheQueueWithoutANameIsThereAndHasNoLimit) {
  QueueTree tree;
  tree.Charge("", 1'000'000);
  EXPECT_EQ(OverIn(tree, "", 1), "none");
  EXPECT_EQ(tree.Find("")->devices, 1'000'000);
  EXPECT_FALSE(tree.limited());
}

TEST(QueueTreeTest, WhoeverIsNotReachedFromTheTopHangsNowhere) {
  QueueTree tree;
  tree.Declare({{"a", Below("b")},
                {"b", Below("a")},
                {"self", Below("self")},
                {"orphan", Below("gone")},
                {"under", Below("orphan")},
                {"good", Below("")}});
  for (const char* name : {"a", "b", "self", "orphan", "under"}) {
    EXPECT_EQ(tree.Find(name), nullptr) << name;
  }
  EXPECT_TRUE(tree.Find("good")->leaf);
}

TEST(QueueTreeTest, WhatIsChargedStaysWhateverIsDeclared) {
  QueueTree tree;
  tree.Charge("late", 7);
  EXPECT_EQ(tree.Find("late"), nullptr);
  tree.Declare({{"late", Limited("", 8)}});
  EXPECT_EQ(tree.Find("late")->devices, 7);
  EXPECT_EQ(OverIn(tree, "late", 2), "late");
  tree.Declare({});
  tree.Declare({{"top", Limited("", 8)}, {"late", Below("top")}});
  EXPECT_EQ(OverIn(tree, "late", 2), "top");
}

// What a queue takes, by walking up from every charged name.
int64_t TakenBelow(const Declared& declared, const std::map<std::string, int64_t>& charged,
                   const std::string& queue) {
  int64_t sum = 0;
  for (const auto& [name, devices] : charged) {
    std::set<std::string> seen;
    bool reaches_top = false;
    bool passes = false;
    for (std::string at = name; seen.insert(at).second;) {
      passes |= at == queue;
      const auto it = declared.find(at);
      if (it == declared.end()) break;
      at = it->second.parent;
      if (at.empty()) {
        reaches_top = true;
        break;
      }
    }
    if (reaches_top && passes) sum += devices;
  }
  return sum;
}

// Any trees, broken ones too, declared anew and charged in any order.
TEST(QueueTreeTest, SumsEqualARecount) {
  std::mt19937 random(11);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  const auto any = [&] { return names[random() % names.size()]; };
  QueueTree tree;
  Declared declared;
  std::map<std::string, int64_t> charged;
  int found = 0;
  for (int step = 0; step < 5'000; ++step) {
    if (random() % 4 == 0) {
      declared.clear();
      for (const std::string& name : names) {
        if (random() % 4 != 0) declared[name] = Below(random() % 3 == 0 ? "" : any());
      }
      tree.Declare(declared);
    } else {
      const std::string name = any();
      const int64_t devices = static_cast<int64_t>(random() % 9) - charged[name] / 2;
      charged[name] += devices;
      tree.Charge(name, devices);
    }
    for (const std::string& name : names) {
      const QueueTree::Queue* queue = tree.Find(name);
      if (queue == nullptr) continue;
      ++found;
      ASSERT_EQ(queue->devices, TakenBelow(declared, charged, name)) << name << " step " << step;
    }
  }
  EXPECT_GT(found, 1'000);
}

}  // namespace
}  // namespace phalanx

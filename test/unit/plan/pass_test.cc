#include "core/plan/pass.h"

#include <gtest/gtest.h>

#include <string>

namespace phalanx {
namespace {

class PassTest : public ::testing::Test {
 protected:
  PassTest() {
    for (int i = 0; i < 4; ++i) queue.Insert(Key(i), GangId(i));
  }
  static OrderKey Key(int i) { return {false, 0, Time{i}, {"ns", "label", "g"}}; }
  // Looks for its place each time, as a slice of one look does.
  GangId Next() {
    Pass::Place place = pass.PlaceIn(queue);
    return pass.Next(queue, place);
  }
  // The order in which gangs come up, as digits.
  std::string Drain(int limit = 100) {
    std::string out;
    while (limit-- > 0 && pass.HasWork(queue)) {
      const GangId id = Next();
      if (!id.valid()) break;
      out += std::to_string(id.value());
    }
    return out;
  }
  WaitingQueue queue;
  Pass pass;
};

TEST_F(PassTest, NothingIsDueAtFirst) {
  EXPECT_FALSE(pass.HasWork(queue));
  EXPECT_FALSE(Next().valid());
}

TEST_F(PassTest, FullPassTakesEachOnceInOrder) {
  pass.RequestAll();
  EXPECT_EQ(Drain(), "0123");
  EXPECT_FALSE(pass.HasWork(queue));
}

TEST_F(PassTest, SingleGangsComeInOrderAndOnce) {
  pass.RequestOne(Key(3));
  pass.RequestOne(Key(1));
  EXPECT_EQ(Drain(), "13");
}

TEST_F(PassTest, SingleGangBehindTheCursorComesAgain) {
  pass.RequestAll();
  EXPECT_EQ(Drain(2), "01");
  pass.RequestOne(Key(0));
  pass.RequestOne(Key(3));
  EXPECT_EQ(Drain(), "023");
}

// A slice keeps its place over many looks; the next slice finds it again.
TEST_F(PassTest, AKeptPlaceTakesWhatASearchForItTakes) {
  pass.RequestAll();
  pass.RequestOne(Key(2));
  Pass::Place place = pass.PlaceIn(queue);
  std::string out;
  for (int i = 0; i < 3; ++i) out += std::to_string(pass.Next(queue, place).value());
  EXPECT_EQ(out, "012");
  pass.RequestOne(Key(0));  // behind it: a single gang, which moves no place
  EXPECT_EQ(pass.Next(queue, place), GangId(0));
  EXPECT_EQ(Drain(), "3");
}

TEST_F(PassTest, ReleaseRestartsFromTheHead) {
  pass.RequestAll();
  EXPECT_EQ(Drain(2), "01");
  pass.RequestAll();
  EXPECT_EQ(Drain(), "0123");
}

// Releases that come faster than a pass takes must not starve the tail.
TEST_F(PassTest, TailIsReachedUnderConstantReleases) {
  pass.RequestAll();
  std::string seen;
  for (int i = 0; i < 12; ++i) {
    seen += Drain(1);
    pass.RequestAll();
  }
  EXPECT_NE(seen.find('3'), std::string::npos) << seen;
}

TEST_F(PassTest, ForgottenGangsAreSkipped) {
  pass.RequestOne(Key(2));
  queue.Erase(Key(2));
  pass.Forget(Key(2));
  EXPECT_FALSE(pass.HasWork(queue));
}

TEST_F(PassTest, GangsThatLeftDuringThePassAreSkipped) {
  pass.RequestAll();
  EXPECT_EQ(Drain(1), "0");
  queue.Erase(Key(1));
  EXPECT_EQ(Drain(), "23");
}

}  // namespace
}  // namespace phalanx

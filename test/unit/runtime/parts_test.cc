// Clock, answer table, epoch store and histogram.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/answer_table.h"
#include "runtime/clock.h"
#include "runtime/epoch_store.h"
#include "runtime/histogram.h"

namespace phalanx::runtime {
namespace {

TEST(Clock, IsTheWallAtItsStartAndMonotonicSince) {
  int64_t now = 5000;
  Clock clock(1'700'000'000'000, [&now] { return now; });
  EXPECT_EQ(clock.Now().ms, 1'700'000'000'000);
  now = 5250;
  EXPECT_EQ(clock.Now().ms, 1'700'000'000'250);
  now = 4000;
  EXPECT_EQ(clock.Now().ms, 1'700'000'000'250) << "time never goes backwards";
  now = 5251;
  EXPECT_EQ(clock.Now().ms, 1'700'000'000'251);
}

TEST(AnswerTable, SpeaksForOneEpochAndKeepsItsAnswers) {
  AnswerTable table;
  table.SetEpoch(7);
  table.Publish({{"u", AnswerKind::kLoose, "", 0, ""}, {"v", AnswerKind::kPlanned, "n1", 3, ""}});
  ASSERT_TRUE(table.Find(7, "v").has_value());
  EXPECT_EQ(table.Find(7, "v")->node, "n1");
  EXPECT_FALSE(table.Find(6, "v").has_value());
  EXPECT_FALSE(table.Find(0, "v").has_value());
  table.SetEpoch(0);
  EXPECT_FALSE(table.Find(7, "u").has_value());
  EXPECT_FALSE(table.Find(0, "u").has_value());
  table.Publish({{"v", AnswerKind::kHeld, "", 0, ""}});
  table.SetEpoch(8);
  EXPECT_EQ(table.Find(8, "u")->kind, AnswerKind::kLoose)
      << "an unchanged answer is not told again";
  EXPECT_EQ(table.Find(8, "v")->kind, AnswerKind::kHeld);
}

TEST(AnswerTable, UnknownTakesThePodOut) {
  AnswerTable table;
  table.SetEpoch(1);
  table.Publish({{"u", AnswerKind::kHeld, "", 0, ""}, {"v", AnswerKind::kLoose, "", 0, ""}});
  table.Publish({{"u", AnswerKind::kUnknown, "", 0, ""}});
  EXPECT_FALSE(table.Find(1, "u").has_value());
  EXPECT_EQ(table.size(), 1u);
}

// A reader never sees an answer of one epoch under another, and never a torn one.
TEST(AnswerTable, ReadersAndTheWriterDoNotMix) {
  AnswerTable table;
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  std::atomic<int64_t> wrong{0};
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      while (!stop) {
        for (uint64_t epoch = 1; epoch <= 50; ++epoch) {
          auto answer = table.Find(epoch, "u");
          if (answer && (answer->plan != epoch || answer->node != std::to_string(epoch))) ++wrong;
        }
      }
    });
  }
  for (uint64_t epoch = 1; epoch <= 50; ++epoch) {
    table.SetEpoch(0);
    table.Publish({{"u", AnswerKind::kPlanned, std::to_string(epoch), epoch, ""}});
    table.SetEpoch(epoch);
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

class EpochFile : public ::testing::Test {
 protected:
  EpochFile() : path_(::testing::TempDir() + "phalanx-epoch-" + std::to_string(::getpid())) {
    std::filesystem::remove(path_);
  }
  ~EpochFile() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(EpochFile, GrowsAcrossRestartsAndWhenTheClockIsSetBack) {
  {
    EpochStore store(path_);
    EXPECT_EQ(store.Next(1'700'000'000), 1'700'000'000u);
    EXPECT_EQ(store.Next(1'700'000'000), 1'700'000'001u) << "two in one second";
  }
  EpochStore again(path_);
  EXPECT_EQ(again.Next(1'600'000'000), 1'700'000'002u);
  EXPECT_EQ(again.Next(1'800'000'000), 1'800'000'000u);
  EXPECT_EQ(again.error(), "");
}

TEST_F(EpochFile, AFileThatHoldsNoEpochIsNamedAndReplaced) {
  std::ofstream(path_) << "minus one\n";
  EpochStore store(path_);
  EXPECT_NE(store.error().find("'minus one' is not an epoch"), std::string::npos);
  EXPECT_EQ(store.Next(1'700'000'000), 1'700'000'000u);
  EXPECT_EQ(store.error(), "");
  EXPECT_EQ(EpochStore(path_).Next(1), 1'700'000'001u);
}

TEST_F(EpochFile, AFolderThatIsNotThereIsAnErrorAndNoCrash) {
  EpochStore store("/nonexistent-folder/epoch");
  EXPECT_EQ(store.Next(100), 100u);
  EXPECT_NE(store.error(), "");
  EXPECT_EQ(store.Next(100), 101u);
}

TEST(Histogram, CountsUpToAndIncludingTheBound) {
  Histogram histogram({10, 100});
  for (int64_t value : {0, 10, 11, 100, 101, 5000}) histogram.Add(value);
  Histogram::Snapshot snapshot = histogram.Read();
  EXPECT_EQ(snapshot.counts, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(snapshot.sum, 5222);
}

}  // namespace
}  // namespace phalanx::runtime

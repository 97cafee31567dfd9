// Traces are read or refused as a whole; the baselines do what the textbook says, on worlds small
// enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/baseline/gpu_pool.h"
#include "sim/trace/summary.h"
#include "sim/trace/trace_command.h"

namespace phalanx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kHeader[] = "timestamp,duration,num_gpus,gpu_time,cluster\n";

class TraceFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = ::testing::TempDir() + "/" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

TEST_F(TraceFileTest, JobsComeByTimeThenInTheOrderOfTheFile) {
  const Trace trace =
      ReadPhilly(Write(std::string(kHeader) + "2017-10-09 07:01:55,66.0,1,66.0,b\n"
                                              "2017-10-09 06:13:03,2951.0,8,2951.0,a\n"
                                              "2017-10-09 06:13:03,1,1,1,c\r\n"
                                              "\n"));
  ASSERT_THAT(trace.errors, IsEmpty());
  ASSERT_THAT(trace.jobs, SizeIs(3));
  EXPECT_EQ(trace.jobs[0].queue, "a");
  EXPECT_EQ(trace.jobs[1].queue, "c");
  EXPECT_EQ(trace.jobs[2].line, 2);
  EXPECT_EQ(trace.jobs[2].submit_s - trace.jobs[1].submit_s, 48 * 60 + 52);
  EXPECT_EQ(trace.jobs[0].Area(), 2951 * 8);
}

TEST_F(TraceFileTest, EachBadLineIsNamedAndNothingIsTaken) {
  const Trace trace = ReadPhilly(Write(std::string(kHeader) + "2017-10-09 07:01:55,66.0,1,66.0,a\n"
                                                              "2017-13-09 07:01:55,66.0,1,66.0,a\n"
                                                              "2017-10-09 07:01:55,0,1,0,a\n"
                                                              "2017-10-09 07:01:55,1.5,1,1,a\n"
                                                              "2017-10-09 07:01:55,1,-2,1,a\n"
                                                              "2017-10-09 07:01:55,nan,1,1,a\n"
                                                              "2017-10-09 07:01:55,1\n"));
  EXPECT_THAT(trace.jobs, IsEmpty());
  EXPECT_THAT(
      trace.errors,
      ElementsAre(path_ + ":3: '2017-13-09 07:01:55', expected timestamp YYYY-MM-DD HH:MM:SS",
                  path_ + ":4: '0', expected duration in whole seconds from 1 on",
                  path_ + ":5: '1.5', expected duration in whole seconds from 1 on",
                  path_ + ":6: '-2', expected num_gpus from 1 on",
                  path_ + ":7: 'nan', expected duration in whole seconds from 1 on",
                  HasSubstr(":8: '2017-10-09 07:01:55,1', expected 5 fields")));
}

TEST_F(TraceFileTest, AnotherHeaderAnEmptyAndAMissingFileAreRefused) {
  EXPECT_THAT(ReadPhilly(Write("job_id,state\n")).errors,
              ElementsAre(HasSubstr(":1: 'job_id,state', expected timestamp,")));
  EXPECT_THAT(ReadPhilly(Write("")).errors, ElementsAre(HasSubstr(":0: '', expected timestamp,")));
  EXPECT_THAT(ReadPhilly(path_ + ".none").errors, ElementsAre(HasSubstr("No such file")));
}

TEST_F(TraceFileTest, AGzipFileThatWasCutShortIsRefused) {
  std::ifstream in("test/data/philly-2017/philly.csv.gz", std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(whole.size(), 100'000u);
  const Trace trace = ReadPhilly(Write(whole.substr(0, 100'000)));
  EXPECT_THAT(trace.jobs, IsEmpty());
  EXPECT_THAT(trace.errors, ElementsAre(HasSubstr("can not be read further: ")));
}

TEST_F(TraceFileTest, ACommandWithABadArgumentPrintsNoTable) {
  TraceCommand command;
  command.name = "philly";
  command.file = Write(std::string(kHeader) + "2017-10-09 07:01:55,66.0,17,66.0,a\n");
  command.settings.nodes = 2;
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunTrace(command, out, err), 2);
  EXPECT_EQ(err.str(), path_ +
                           ": the job of line 2 asks for 17 GPUs, expected at most 16: 2 nodes "
                           "of 8\n");
  err.str("");
  command.policies = {"easy", "best"};
  EXPECT_EQ(RunTrace(command, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("--policy 'best', expected one of fifo|skip-ahead|easy|"));
  EXPECT_EQ(out.str(), "");
}

TEST(GpuPool, AJobGetsTheNodeThatItFillsBest) {
  GpuPool pool(3, 8);
  pool.Take({{0, 2}, {1, 5}, {2, 5}});
  const GpuPool::Shares shares = pool.Choose(3);
  ASSERT_THAT(shares, SizeIs(1));
  EXPECT_EQ(shares[0].node, 1);  // 3 free, as node 2 has, which is higher
  EXPECT_EQ(pool.free(), 12);
  EXPECT_FALSE(pool.Fits(7));
}

TEST(GpuPool, TheRestOfAWideJobGoesToAnotherNode) {
  GpuPool pool(3, 8);
  pool.Take({{1, 4}});
  ASSERT_TRUE(pool.Fits(12));
  const GpuPool::Shares shares = pool.Choose(12);
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_EQ(shares[0].node, 0);
  EXPECT_EQ(shares[1].node, 1);
  pool.Take({{2, 8}});
  EXPECT_TRUE(pool.Fits(12));
  pool.Take({{1, 1}});
  EXPECT_FALSE(pool.Fits(12));  // one idle node, and 3 free GPUs elsewhere
  EXPECT_TRUE(pool.Fits(11));
}

// Starts of jobs (submit, run, GPUs) on nodes of 8.
std::vector<int64_t> Starts(ReplayPolicy policy, int32_t nodes, std::vector<TraceJob> jobs) {
  Trace trace;
  trace.jobs = std::move(jobs);
  return Replay(trace, {.policy = policy, .nodes = nodes}).start_s;
}

// A blocked head of 16 gets both nodes when the 100 s job ends; 8 GPUs are idle until then.
const std::vector<TraceJob> kBlockedHead = {
    {0, 100, 8, "", 0},  // runs 0 to 100
    {1, 50, 16, "", 0},  // the head: at 100
    {2, 99, 8, "", 0},   // would end at 101
    {3, 97, 8, "", 0},   // ends at 100
};

TEST(Replay, FifoWaitsForItsHead) {
  EXPECT_THAT(Starts(ReplayPolicy::kFifo, 2, kBlockedHead), ElementsAre(0, 100, 150, 150));
}

TEST(Replay, SkipAheadDelaysTheHead) {
  EXPECT_THAT(Starts(ReplayPolicy::kSkipAhead, 2, kBlockedHead), ElementsAre(0, 197, 2, 100));
}

TEST(Replay, EasyStartsOnlyWhatEndsInTime) {
  EXPECT_THAT(Starts(ReplayPolicy::kEasy, 2, kBlockedHead), ElementsAre(0, 100, 150, 3));
}

// The head of 8 gets node 0 at 100. A long job of 4 may take what is left on node 1 (4 free), since
// the head does not need it; a second one would need node 0.
TEST(Replay, EasyTestsPlacesWhereCountingIsWrong) {
  const std::vector<TraceJob> jobs = {
      {0, 100, 4, "", 0},   // node 0, ends at 100
      {0, 1000, 4, "", 0},  // node 0 as well: best fit
      {0, 1000, 5, "", 0},  // node 1
      {0, 100, 3, "", 0},   // node 1, ends at 100
      {1, 10, 8, "", 0},    // the head: no node is idle before 1000
  };
  // At 1000 both nodes are idle; a job of 4 that comes at 101 and runs for 2000 takes node 0, and
  // leaves node 1 to the head.
  std::vector<TraceJob> with_long = jobs;
  with_long.push_back({101, 2000, 4, "", 0});
  EXPECT_THAT(Starts(ReplayPolicy::kEasy, 2, with_long), ElementsAre(0, 0, 0, 0, 1000, 101));
  // A second one of 3 has node 1 alone to go to: by count 16 - 4 - 3 = 9 GPUs suffice for the head,
  // by place neither node would be idle.
  with_long.push_back({102, 2000, 3, "", 0});
  EXPECT_THAT(Starts(ReplayPolicy::kEasyByCount, 2, with_long),
              ElementsAre(0, 0, 0, 0, 2101, 101, 102));
  EXPECT_THAT(Starts(ReplayPolicy::kEasy, 2, with_long), ElementsAre(0, 0, 0, 0, 1000, 101, 1000));
}

TEST(Replay, OrdersByRunTimeAndByArea) {
  const std::vector<TraceJob> jobs = {
      {0, 10, 8, "", 0}, {1, 30, 1, "", 0}, {1, 20, 8, "", 0}, {1, 25, 8, "", 0}};
  EXPECT_THAT(Starts(ReplayPolicy::kShortestFirst, 1, jobs), ElementsAre(0, 55, 10, 30));
  EXPECT_THAT(Starts(ReplayPolicy::kSmallestAreaFirst, 1, jobs), ElementsAre(0, 10, 40, 60));
}

TEST(Summary, CountsWaitsAndSlowdowns) {
  Trace trace;
  trace.jobs = {{0, 10, 8, "", 0}, {0, 5, 1, "", 0}, {0, 40, 16, "", 0}};
  ReplayResult result;
  result.start_s = {0, 15, 20};
  result.max_queue = 2;
  const ReplaySummary s = Summarize(trace, result);
  EXPECT_DOUBLE_EQ(s.mean_wait_s, 35.0 / 3);
  EXPECT_EQ(s.p50_wait_s, 15);
  EXPECT_EQ(s.p99_wait_s, 20);
  // 1; (15 + 5) / 10; (20 + 40) / 40.
  EXPECT_DOUBLE_EQ(s.mean_bounded_slowdown, (1.0 + 2.0 + 1.5) / 3);
  EXPECT_DOUBLE_EQ(s.mean_wait_1_gpu_s, 15);
  EXPECT_DOUBLE_EQ(s.mean_wait_8_gpu_s, 0);
  EXPECT_DOUBLE_EQ(s.mean_wait_wide_s, 20);
}

}  // namespace
}  // namespace phalanx::sim

// The openb cluster: its tables are read or refused as a whole, FGD does what is published of it,
// and a fill gives the same result each time, whoever fills.
#include "sim/trace/openb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "sim/baseline/fgd.h"
#include "support/openb.h"

namespace phalanx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OpenbFileTest : public ::testing::Test {
 protected:
  const std::string& Written(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = ::testing::TempDir() + "/" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

TEST_F(OpenbFileTest, TheTablesAreThoseThatTheReadmeDescribes) {
  const OpenbNodes table = testing::ReadAllOpenbNodes();
  ASSERT_THAT(table.errors, IsEmpty());
  EXPECT_THAT(table.nodes, SizeIs(1213));
  int64_t gpus = 0;
  std::map<std::string, int> models;
  for (const OpenbNode& node : table.nodes) {
    gpus += node.gpus;
    ++models[node.model];
  }
  EXPECT_EQ(gpus, 6212);
  EXPECT_THAT(models, SizeIs(7));
  const auto expected = testing::ReadOpenbExpected();
  EXPECT_THAT(expected, SizeIs(17));
  for (const testing::OpenbExpected& row : expected) {
    const OpenbPods pods = testing::ReadOpenbWorkload(row.workload);
    EXPECT_THAT(pods.errors, IsEmpty()) << row.workload;
    EXPECT_GT(pods.pods.size(), 7'000u) << row.workload;
    EXPECT_GT(row.fgd, row.random) << row.workload;
  }
  EXPECT_THAT(testing::ReadOpenbWorkload("default").pods, SizeIs(8152));
}

TEST_F(OpenbFileTest, ReadsWhatIsAskedFor) {
  const OpenbPods table =
      ReadOpenbPods(Written("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"
                            "b,4000,1024,1,460,T4|P100|T4,LS\n"
                            "a,1000,512,0,0,,BE\n"));
  ASSERT_THAT(table.errors, IsEmpty());
  ASSERT_THAT(table.pods, SizeIs(2));
  EXPECT_EQ(table.pods[0], (OpenbRequest{1000, 512, 0, 0, {}}));
  EXPECT_EQ(table.pods[1], (OpenbRequest{4000, 1024, 1, 460, {"P100", "T4"}}));
  EXPECT_TRUE(table.pods[1].Shares());
}

TEST_F(OpenbFileTest, EachBadLineIsNamedAndNothingIsTaken) {
  const OpenbPods table = ReadOpenbPods(
      Written("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n"
              "a,1000,512,0,0\na,1000,512,0,0\nb,-1,512,9,1000\nc,1,1,2,500\nd,1,1,0,5\ne,1,1\n"));
  EXPECT_THAT(table.pods, IsEmpty());
  EXPECT_THAT(
      table.errors,
      ElementsAre(path_ + ":3: 'a', expected a name that no line above has",
                  path_ + ":4: '-1', expected cpu_milli: a whole number from 0 to 1099511627776",
                  path_ + ":4: '9', expected num_gpu: a whole number from 0 to 8",
                  path_ + ":5: '500', expected gpu_milli: a whole number from 1000 to 1000",
                  path_ + ":6: '5', expected gpu_milli: a whole number from 0 to 0",
                  path_ + ":7: 'e,1,1', expected 5 fields"));
}

TEST_F(OpenbFileTest, AnotherTableIsRefused) {
  EXPECT_THAT(ReadOpenbNodes(Written("sn,cpu\nn,1\n")).errors,
              ElementsAre(path_ + ":1: 'sn,cpu', expected sn,cpu_milli,memory_mib,gpu,model"));
  EXPECT_THAT(ReadOpenbNodes(Written("")).errors, SizeIs(1));
  EXPECT_THAT(ReadOpenbNodes("/nowhere").errors, SizeIs(1));
}

OpenbRequest Gpus(int32_t gpus, int64_t cpu = 0) { return {cpu, 0, gpus, 1000, {}}; }
OpenbRequest Part(int32_t milli) { return {0, 0, 1, milli, {}}; }
GpuNode Node(std::vector<int32_t> gpus, int64_t cpu = 100) {
  return {cpu, 0, std::move(gpus), "T4"};
}

TEST(FgdTest, TypicalPodsAreTheMostFrequent) {
  std::vector<OpenbRequest> pods(90, Gpus(1));
  pods.insert(pods.end(), 8, Part(300));
  pods.insert(pods.end(), 2, Gpus(8));
  const auto typical = TypicalPods(pods);
  ASSERT_THAT(typical, SizeIs(2));
  EXPECT_EQ(typical[0].request, Gpus(1));
  EXPECT_DOUBLE_EQ(typical[0].share, 90 / 98.0);
}

TEST(FgdTest, CountsWhatTypicalPodsCanNotUse) {
  const std::vector<GpuNode> nodes;
  const OpenbRequest cpu_only{50, 0, 0, 0, {}};
  const OpenbRequest other{0, 0, 1, 1000, {"P100"}};
  const Fgd fgd({{Gpus(2), 0.5}, {Part(400), 0.25}, {cpu_only, 0.125}, {other, 0.125}}, {}, nodes);
  // Two idle GPUs and 300 of a third: of the first kind 300 are too little, likewise of the second.
  EXPECT_DOUBLE_EQ(fgd.Fragmented(Node({1000, 1000, 300, 0})), 0.75 * 300 + 0.25 * 2300);
  // One idle GPU: all of it is lost to pods of two.
  EXPECT_DOUBLE_EQ(fgd.Fragmented(Node({1000, 300})), 0.5 * 1300 + 0.25 * 300 + 0.25 * 1300);
}

// The definition, GPU by GPU, on nodes and mixes drawn at random.
TEST(FgdTest, EqualsTheDefinition) {
  std::mt19937_64 random(9);
  const std::vector<std::string> models = {"P100", "T4"};
  for (int round = 0; round < 500; ++round) {
    std::vector<TypicalPod> typical;
    for (uint64_t i = 0; i < 1 + random() % 6; ++i) {
      OpenbRequest pod{static_cast<int64_t>(random() % 12), 0, 0, 0, {}};
      pod.gpus = static_cast<int32_t>(random() % 4);
      if (pod.gpus > 0) pod.gpu_milli = pod.gpus == 1 ? 100 + 50 * (random() % 19) : 1000;
      if (random() % 3 == 0) pod.models = {models[random() % 2]};
      typical.push_back({pod, 0.125 * static_cast<double>(1 + random() % 4)});
    }
    std::vector<int32_t> left;
    for (uint64_t i = 0; i < 1 + random() % 4; ++i) {
      left.push_back(static_cast<int32_t>(random() % 3 == 0 ? 1000 : 50 * (random() % 21)));
    }
    const GpuNode node = Node(left, static_cast<int64_t>(random() % 12));
    double sum = 0;
    for (const auto& [pod, share] : typical) {
      int32_t enough = 0;
      double all = 0;
      double too_little = 0;
      for (const int32_t gpu : left) {
        all += gpu;
        enough += gpu >= pod.gpu_milli ? 1 : 0;
        too_little += gpu < pod.gpu_milli ? gpu : 0;
      }
      const bool runs = pod.gpus > 0 && enough >= pod.gpus && node.cpu_milli >= pod.cpu_milli &&
                        (pod.models.empty() || pod.models.front() == node.model);
      sum += share * (runs ? too_little : all);
    }
    const Fgd fgd(typical, {}, {});
    ASSERT_NEAR(fgd.Fragmented(node), sum, 1e-9) << round;
  }
}

TEST(FgdTest, PutsAPodWhereItAddsTheLeastAndNamesBreakTies) {
  const std::vector<GpuNode> nodes = {Node({1000, 1000}), Node({1000, 1000}), Node({1000, 0})};
  const std::vector<OpenbRequest> requests = {Gpus(1), Gpus(2), Part(500)};
  Fgd fgd({{Gpus(2), 1.0}}, requests, nodes);
  EXPECT_EQ(fgd.Choose(0)->node, 2u);
  EXPECT_EQ(fgd.Choose(1)->node, 0u);
  EXPECT_EQ(fgd.Choose(2)->node, 2u);
}

TEST(GpuNodesTest, WholeGpusAreTheLowestIdleAndPartsTheBestFitting) {
  GpuNode node = Node({700, 1000, 400, 1000}, 10);
  EXPECT_FALSE(Takes(node, Gpus(3)));
  EXPECT_FALSE(Takes(node, Gpus(1, 11)));
  EXPECT_EQ(BestFittingGpu(node, Part(300)), 2u);
  EXPECT_EQ(BestFittingGpu(node, Part(500)), 0u);
  EXPECT_EQ(BestFittingGpu(node, Part(800)), 1u);
  Use(node, Gpus(1, 4), 0);
  EXPECT_THAT(node.gpu_milli, ElementsAre(700, 0, 400, 1000));
  Use(node, Part(300), 2);
  EXPECT_THAT(node.gpu_milli, ElementsAre(700, 0, 100, 1000));
  EXPECT_EQ(node.cpu_milli, 6);
}

// Pods of the workload once, then more; never more than 130 % of the GPUs.
TEST(FillTest, DrawsTheSameForTheSameSeed) {
  const auto nodes = testing::ReadAllOpenbNodes().nodes;
  const auto pods = testing::ReadOpenbWorkload("default").pods;
  const FillInput input = DrawFill(nodes, pods, 42);
  EXPECT_EQ(input.arrivals, DrawFill(nodes, pods, 42).arrivals);
  EXPECT_NE(input.arrivals, DrawFill(nodes, pods, 43).arrivals);
  EXPECT_EQ(input.capacity_milli, 6'212'000);
  int64_t asked = 0;
  for (const size_t request : input.arrivals) asked += input.requests[request].TotalGpuMilli();
  EXPECT_LE(asked, input.capacity_milli * 13 / 10);
  EXPECT_GT(asked, input.capacity_milli * 13 / 10 - 8'000);
  EXPECT_TRUE(
      std::is_sorted(input.nodes.begin(), input.nodes.end(),
                     [](const OpenbNode& a, const OpenbNode& b) { return a.name < b.name; }));
}

// A tenth of the cluster, twice: no pod where it does not fit, and nothing depends on chance.
TEST(FillTest, EveryRuleGivesTheSameEachTime) {
  const auto nodes = testing::ReadAllOpenbNodes().nodes;
  const testing::OpenbMeans first = testing::FillOpenb(nodes, "gpuspec33", 1, 10);
  const testing::OpenbMeans second = testing::FillOpenb(nodes, "gpuspec33", 1, 10);
  EXPECT_EQ(first.error, "");
  EXPECT_EQ(first.hash, second.hash);
  for (const double percent : {first.fgd, first.first_fit, first.phalanx}) {
    EXPECT_GT(percent, 80);
    EXPECT_LT(percent, 100);
  }
}

}  // namespace
}  // namespace phalanx::sim

// Leaves that a gang of whole hosts uses in a real three-layer fabric at random occupancy, over the
// fewest that would hold it: the worst of the nine cells of test/data/lingjun-2023/expected.csv.
//
//   leaves_over_optimum   Phalanx
//   nested_best_fit       the rule of Kueue's topology-aware scheduling
//   first_fit             hosts by name
//   optimum               the baseline of all: the fewest by a second exact count
//
//     counters   leaves_50pct_16hosts ...   mean leaves of each cell
//                trials                     of a cell
//     label      hash=...                   over all counts; the same in each run
//
// With PHALANX_BENCH_TINY set, trials are few: a test that the program still works.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/lingjun.h"

namespace {

using phalanx::testing::LingjunCell;
using phalanx::testing::LingjunSums;
using phalanx::testing::LingjunWorld;

constexpr uint64_t kSeed = 20261130;
constexpr int kTrials = 300;

int Trials() { return std::getenv("PHALANX_BENCH_TINY") != nullptr ? 3 : kTrials; }

struct Measured {
  std::vector<LingjunCell> cells;
  std::vector<LingjunSums> sums;  // by cell
  std::string error;
};

// All cells, once for all cases.
const Measured& Measure() {
  static const Measured* const kMeasured = [] {
    auto* measured = new Measured{phalanx::testing::ReadLingjunCells(), {}, ""};
    LingjunWorld world;
    if (!world.errors().empty()) measured->error = world.errors().front();
    if (measured->cells.empty()) measured->error = "no cells, run in the root of the repository";
    for (size_t i = 0; measured->error.empty() && i < measured->cells.size(); ++i) {
      measured->sums.push_back(RunLingjunCell(world, measured->cells[i], Trials(), kSeed + i));
      if (measured->sums.back().unplaced > 0) measured->error = "a gang that fits was not placed";
    }
    return measured;
  }();
  return *kMeasured;
}

void WorstCell(benchmark::State& state, int64_t LingjunSums::*leaves) {
  const Measured& measured = Measure();
  if (!measured.error.empty()) return state.SkipWithError(measured.error.c_str());
  double worst = 0;
  phalanx::Hash hash;
  for (auto _ : state) {
    for (size_t i = 0; i < measured.sums.size(); ++i) {
      const LingjunSums& sums = measured.sums[i];
      const double mean = sums.Mean(sums.*leaves);
      worst = std::max(worst, mean / sums.Mean(sums.optimum));
      hash.Add(sums.hash);
      state.counters[fmt::format("leaves_{}pct_{}hosts", measured.cells[i].occupied_percent,
                                 measured.cells[i].gang_hosts)] = mean;
    }
  }
  state.counters["value"] = worst;
  state.counters["trials"] = Trials();
  state.SetLabel(fmt::format("unit=times baseline=optimum hash={:016x}", hash.Done()));
}

void optimum(benchmark::State& state) { WorstCell(state, &LingjunSums::knapsack); }
void leaves_over_optimum(benchmark::State& state) { WorstCell(state, &LingjunSums::phalanx); }
void nested_best_fit(benchmark::State& state) { WorstCell(state, &LingjunSums::nested_best_fit); }
void first_fit(benchmark::State& state) { WorstCell(state, &LingjunSums::first_fit); }

BENCHMARK(optimum)->Iterations(1);
BENCHMARK(leaves_over_optimum)->Iterations(1);
BENCHMARK(nested_best_fit)->Iterations(1);
BENCHMARK(first_fit)->Iterations(1);

}  // namespace

// Philly under the baselines: how many rows of the golden table are equal in every digit.
//
//   golden_rows        how many there are
//   golden_rows_equal  how many are equal
//   phalanx_run_s      one replay through the engine of production, 80 nodes
//   skip_ahead_run_s   its baseline: the textbook policy that is nearest to it
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/golden_replay.h"

namespace {

using phalanx::testing::GoldenRow;

// All, or in a test the quick ones alone.
std::vector<GoldenRow> Rows() {
  std::vector<GoldenRow> rows =
      phalanx::testing::ReadGoldenRows("test/data/philly-2017/golden.csv");
  if (std::getenv("PHALANX_BENCH_TINY") != nullptr) {
    std::erase_if(rows, [](const GoldenRow& row) { return row.settings.nodes != 96; });
  }
  return rows;
}

void golden_rows(benchmark::State& state) {
  size_t rows = 0;
  for (auto _ : state) rows = Rows().size();
  state.counters["value"] = static_cast<double>(rows);
  state.SetLabel("unit=rows");
}

void golden_rows_equal(benchmark::State& state) {
  const phalanx::sim::Trace trace = phalanx::sim::ReadPhilly("test/data/philly-2017/philly.csv.gz");
  if (!trace.errors.empty()) state.SkipWithError(trace.errors.front().c_str());
  int equal = 0;
  std::string first;
  for (auto _ : state) {
    for (const GoldenRow& row : Rows()) {
      const auto result = phalanx::sim::Replay(trace, row.settings);
      const auto differences =
          phalanx::testing::DifferencesFrom(row, phalanx::sim::Summarize(trace, result));
      equal += differences.empty() ? 1 : 0;
      if (!differences.empty() && first.empty()) first = row.name + ": " + differences.front();
    }
  }
  if (!first.empty()) std::fprintf(stderr, "philly: %s\n", first.c_str());
  state.counters["value"] = equal;
  state.SetLabel("unit=rows baseline=golden_rows");
}

// Seconds of one replay; the first jobs alone in a test.
void TimeReplay(benchmark::State& state, phalanx::sim::ReplayPolicy policy) {
  phalanx::sim::Trace trace = phalanx::sim::ReadPhilly("test/data/philly-2017/philly.csv.gz");
  if (std::getenv("PHALANX_BENCH_TINY") != nullptr) trace.jobs.resize(2'000);
  const phalanx::sim::ReplaySettings settings{.policy = policy, .nodes = 80};
  for (auto _ : state) benchmark::DoNotOptimize(phalanx::sim::Replay(trace, settings));
  state.SetLabel("baseline=skip_ahead_run_s");
}

void skip_ahead_run_s(benchmark::State& state) {
  TimeReplay(state, phalanx::sim::ReplayPolicy::kSkipAhead);
}

void phalanx_run_s(benchmark::State& state) {
  TimeReplay(state, phalanx::sim::ReplayPolicy::kPhalanx);
}

BENCHMARK(skip_ahead_run_s)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(phalanx_run_s)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(golden_rows)->Iterations(1);
BENCHMARK(golden_rows_equal)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

// How much of the GPUs of a real cluster in which pods share them is given away when pods for 130 %
// of them have arrived: 17 workloads, 10 seeds each, the same draws for all rules (the protocol is
// in sim/trace/openb_fill.h).
//
//   workloads                  how many there are: the baseline of the two counts
//   fgd_within_half_point      workloads in which our FGD is within 0.5 points of the published
//   mean phalanx_at_or_above_best   workloads in which Phalanx allocates at least as much as the
//   better
//                              of FGD and first fit
//   phalanx, fgd, first_fit    mean over all workloads, % of the GPUs; baseline: published_fgd
//   published_fgd              the same as published
//
//     counters   allocated_WORKLOAD    of the last four: mean of its seeds
//                seeds
//     label      hash=...              of where every pod of every fill went; the same in each run
//
// With PHALANX_BENCH_TINY set, a tenth of the nodes and pods and one seed: a test that the program
// still works.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "support/openb.h"

namespace {

using phalanx::testing::OpenbExpected;
using phalanx::testing::OpenbMeans;

constexpr double kHalfPoint = 0.5;

bool Tiny() { return std::getenv("PHALANX_BENCH_TINY") != nullptr; }
int Seeds() { return Tiny() ? 1 : 10; }

struct Measured {
  std::vector<OpenbExpected> expected;
  std::vector<OpenbMeans> means;  // by workload
  uint64_t hash = 0;
  std::string error;
};

Measured MeasureAll() {
  Measured measured{phalanx::testing::ReadOpenbExpected(), {}, 0, ""};
  const auto nodes = phalanx::testing::ReadAllOpenbNodes();
  if (!nodes.errors.empty()) measured.error = nodes.errors.front();
  if (measured.expected.empty()) measured.error = "no workloads, run in the root of the repository";
  if (!measured.error.empty()) return measured;
  // Two at a time: fills have nothing in common, and no time is measured.
  const auto run = [&](size_t i) {
    return phalanx::testing::FillOpenb(nodes.nodes, measured.expected[i].workload, Seeds(),
                                       Tiny() ? 10 : 1);
  };
  const size_t workloads = measured.expected.size();
  for (size_t i = 0; i < workloads; i += 2) {
    auto other = std::async(std::launch::async, [&run, i, workloads] {
      return i + 1 < workloads ? run(i + 1) : OpenbMeans();
    });
    measured.means.push_back(run(i));
    measured.means.push_back(other.get());
  }
  measured.means.resize(workloads);
  phalanx::Hash hash;
  for (const OpenbMeans& means : measured.means) {
    hash.Add(means.hash);
    if (!means.error.empty()) measured.error = means.error;
  }
  measured.hash = hash.Done();
  return measured;
}

// Once for all cases.
const Measured& Measure() {
  static const Measured* const kMeasured = new Measured(MeasureAll());
  return *kMeasured;
}

// `holds` says whether a workload counts.
template <class Holds>
void Count(benchmark::State& state, const Holds& holds) {
  const Measured& measured = Measure();
  if (!measured.error.empty()) return state.SkipWithError(measured.error.c_str());
  int count = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < measured.means.size(); ++i) {
      count += holds(measured.expected[i], measured.means[i]) ? 1 : 0;
    }
  }
  state.counters["value"] = count;
  state.SetLabel(fmt::format("unit=workloads baseline=workloads hash={:016x}", measured.hash));
}

template <class Of>
void Mean(benchmark::State& state, const Of& of) {
  const Measured& measured = Measure();
  if (!measured.error.empty()) return state.SkipWithError(measured.error.c_str());
  double sum = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < measured.means.size(); ++i) {
      const double mean = of(measured.expected[i], measured.means[i]);
      state.counters["allocated_" + measured.expected[i].workload] = mean;
      sum += mean;
    }
  }
  state.counters["value"] = sum / static_cast<double>(measured.means.size());
  state.counters["seeds"] = Seeds();
  state.SetLabel(fmt::format("unit=% baseline=published_fgd hash={:016x}", measured.hash));
}

void workloads(benchmark::State& state) {
  Count(state, [](const OpenbExpected&, const OpenbMeans&) { return true; });
}
void fgd_within_half_point(benchmark::State& state) {
  Count(state, [](const OpenbExpected& expected, const OpenbMeans& means) {
    return std::abs(means.fgd - expected.fgd) <= kHalfPoint;
  });
}
void phalanx_at_or_above_best(benchmark::State& state) {
  Count(state, [](const OpenbExpected&, const OpenbMeans& means) {
    return means.phalanx >= means.Best();
  });
}

void published_fgd(benchmark::State& state) {
  Mean(state, [](const OpenbExpected& expected, const OpenbMeans&) { return expected.fgd; });
}
void fgd(benchmark::State& state) {
  Mean(state, [](const OpenbExpected&, const OpenbMeans& means) { return means.fgd; });
}
void first_fit(benchmark::State& state) {
  Mean(state, [](const OpenbExpected&, const OpenbMeans& means) { return means.first_fit; });
}
void phalanx_mean(benchmark::State& state) {
  Mean(state, [](const OpenbExpected&, const OpenbMeans& means) { return means.phalanx; });
}

BENCHMARK(workloads)->Iterations(1);
BENCHMARK(fgd_within_half_point)->Iterations(1);
BENCHMARK(phalanx_at_or_above_best)->Iterations(1);
BENCHMARK(published_fgd)->Iterations(1);
BENCHMARK(fgd)->Iterations(1);
BENCHMARK(first_fit)->Iterations(1);
BENCHMARK(phalanx_mean)->Name("phalanx")->Iterations(1);

}  // namespace

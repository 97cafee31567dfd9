#include "sim/trace/summary.h"

#include <algorithm>

namespace phalanx::sim {
namespace {

constexpr int64_t kShortestRun = 10;

struct Mean {
  int64_t sum = 0;
  int64_t count = 0;

  void Add(int64_t value) {
    sum += value;
    ++count;
  }
  double Value() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

double BoundedSlowdown(int64_t wait_s, int64_t run_s) {
  const auto run = static_cast<double>(std::max(run_s, kShortestRun));
  return std::max(1.0, static_cast<double>(wait_s + run_s) / run);
}

int64_t Percentile(const std::vector<int64_t>& sorted, size_t percent) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() * percent / 100, sorted.size() - 1)];
}

}  // namespace

ReplaySummary Summarize(const Trace& trace, const ReplayResult& result) {
  std::vector<int64_t> waits;
  waits.reserve(trace.jobs.size());
  Mean all;
  Mean one;
  Mean eight;
  Mean wide;
  double slowdown = 0;
  for (size_t i = 0; i < trace.jobs.size(); ++i) {
    const TraceJob& job = trace.jobs[i];
    const int64_t wait = result.start_s[i] - job.submit_s;
    waits.push_back(wait);
    all.Add(wait);
    if (job.gpus == 1) one.Add(wait);
    if (job.gpus == 8) eight.Add(wait);
    if (job.gpus > 8) wide.Add(wait);
    slowdown += BoundedSlowdown(wait, job.run_s);
  }
  std::sort(waits.begin(), waits.end());
  const double jobs = static_cast<double>(std::max<size_t>(waits.size(), 1));
  return {.mean_wait_s = all.Value(),
          .p50_wait_s = Percentile(waits, 50),
          .p90_wait_s = Percentile(waits, 90),
          .p99_wait_s = Percentile(waits, 99),
          .mean_bounded_slowdown = slowdown / jobs,
          .mean_wait_1_gpu_s = one.Value(),
          .mean_wait_8_gpu_s = eight.Value(),
          .mean_wait_wide_s = wide.Value(),
          .max_queue = result.max_queue};
}

}  // namespace phalanx::sim

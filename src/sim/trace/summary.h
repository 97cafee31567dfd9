// Waiting in a replay, in numbers.
#ifndef PHALANX_SIM_TRACE_SUMMARY_H_
#define PHALANX_SIM_TRACE_SUMMARY_H_

#include <cstdint>
#include <vector>

#include "sim/trace/replay.h"
#include "sim/trace/trace.h"

namespace phalanx::sim {

// Wait: start minus submission, in seconds; 0 for a class without jobs. Percentile p of n sorted
// waits is the one at floor(p × n). Bounded slowdown of a job with wait w and run time r: max(1, (w
// + r) / max(r, 10 s)) (Feitelson et al., 1997).
struct ReplaySummary {
  double mean_wait_s = 0;
  int64_t p50_wait_s = 0;
  int64_t p90_wait_s = 0;
  int64_t p99_wait_s = 0;
  double mean_bounded_slowdown = 0;
  // By size of the job: 1 GPU, 8 GPUs, more than 8.
  double mean_wait_1_gpu_s = 0;
  double mean_wait_8_gpu_s = 0;
  double mean_wait_wide_s = 0;
  int64_t max_queue = 0;
};

ReplaySummary Summarize(const Trace& trace, const ReplayResult& result);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_SUMMARY_H_

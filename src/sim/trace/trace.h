// Jobs of a recorded cluster, in the order of their submission.
#ifndef PHALANX_SIM_TRACE_TRACE_H_
#define PHALANX_SIM_TRACE_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace phalanx::sim {

struct TraceJob {
  int64_t submit_s = 0;  // since the Unix epoch, or since whatever the trace counts from
  int64_t run_s = 0;     // logged run time, above 0
  int32_t gpus = 0;      // above 0
  std::string queue;     // empty where the trace names none
  int64_t line = 0;      // of the file, for messages

  // GPU-seconds.
  int64_t Area() const { return run_s * gpus; }
};

struct Trace {
  // By time of submission; equal times in the order of the file.
  std::vector<TraceJob> jobs;
  // "FILE:LINE: what is wrong: 'VALUE', expected …", one a line; at most 20. Then `jobs` is empty.
  std::vector<std::string> errors;
};

// The table of the Philly cluster (Microsoft, 2017) as published with ElasticFlow: a header, then
// `timestamp,duration,num_gpus,gpu_time,cluster`; local time, seconds. Plain or gzip.
Trace ReadPhilly(const std::string& path);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_TRACE_H_

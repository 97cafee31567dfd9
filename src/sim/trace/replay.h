// Replays the jobs of a trace on alike nodes under one of the textbook policies: the baselines that
// every other policy is compared with.
//
// At each time at which something happens: first all ends, then all arrivals, then one pass of the
// policy. A job runs as long as was logged, in one piece.
#ifndef PHALANX_SIM_TRACE_REPLAY_H_
#define PHALANX_SIM_TRACE_REPLAY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/trace.h"

namespace phalanx::sim {

enum class ReplayPolicy : uint8_t {
  kFifo,               // in order of arrival, until one does not fit
  kSkipAhead,          // whatever fits, in order of arrival
  kEasy,               // kFifo; then what does not delay the head, in order of arrival
  kEasyShortestFirst,  // the same, candidates by run time
  kEasyByCount,        // kEasy with the fault of counting GPUs where places matter
  kShortestFirst,      // as kFifo, ordered by run time
  kSmallestAreaFirst,  // as kFifo, ordered by GPU-seconds
  kPhalanx,            // the engine of production, see engine_replay.h
};

std::string_view NameOf(ReplayPolicy policy);
std::optional<ReplayPolicy> ReplayPolicyOf(std::string_view name);
// Names of all, "|" between them.
std::string ReplayPolicyNames();

struct ReplaySettings {
  ReplayPolicy policy = ReplayPolicy::kFifo;
  int32_t nodes = 80;
  int32_t gpus_per_node = 8;
  // False: any GPUs will do for any job, as if all were in one node.
  bool locality = true;
};

struct ReplayResult {
  // By index of the job.
  std::vector<int64_t> start_s;
  // Most jobs that waited at once, right after a pass.
  int64_t max_queue = 0;
};

// Why a trace can not be replayed with these settings; empty if it can.
std::string WhyNotReplayable(const Trace& trace, const ReplaySettings& settings);

ReplayResult Replay(const Trace& trace, const ReplaySettings& settings);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_REPLAY_H_

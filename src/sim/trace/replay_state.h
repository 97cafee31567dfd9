// What a policy sees of a replay, and the one thing that it may do: start a job that waits.
#ifndef PHALANX_SIM_TRACE_REPLAY_STATE_H_
#define PHALANX_SIM_TRACE_REPLAY_STATE_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/baseline/gpu_pool.h"
#include "sim/trace/trace.h"

namespace phalanx::sim {

class ReplayState {
 public:
  ReplayState(const Trace& trace, GpuPool pool)
      : trace_(trace), pool_(std::move(pool)), shares_(trace.jobs.size()) {}

  int64_t now_s = 0;
  // Indexes of the jobs that wait, in the order of the policy.
  std::vector<int32_t> queue;
  std::vector<int64_t> start_s;

  const TraceJob& job(int32_t index) const { return trace_.jobs[static_cast<size_t>(index)]; }
  const GpuPool& pool() const { return pool_; }
  // (end, job) of all that runs, by end.
  const std::set<std::pair<int64_t, int32_t>>& running() const { return running_; }
  const GpuPool::Shares& shares(int32_t index) const { return shares_[static_cast<size_t>(index)]; }

  // Starts a job that fits; taking it out of the queue is up to the caller.
  void Start(int32_t index);
  // Ends what ends up to now.
  void EndDue();

 private:
  const Trace& trace_;
  GpuPool pool_;
  std::vector<GpuPool::Shares> shares_;  // by job, while it runs
  std::set<std::pair<int64_t, int32_t>> running_;
};

// One pass each. StartHeads starts from the head of the queue until one does not fit; StartAll
// skips those; Backfill treats the head as blocked, see easy.cc.
void StartHeads(ReplayState& state);
void StartAll(ReplayState& state);

enum class BackfillOrder : uint8_t { kQueue, kShortestFirst };
enum class BackfillTest : uint8_t { kPlace, kCount };
void Backfill(ReplayState& state, BackfillOrder order, BackfillTest test);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_REPLAY_STATE_H_

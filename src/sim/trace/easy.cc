// EASY backfill: the blocked head of the queue gets the earliest time at which it can be placed,
// its shadow time, and what is started meanwhile may not move it. Source of the rule: Lifka, "The
// ANL/IBM SP scheduling system" (1995), here with places instead of a count of processors.
#include <algorithm>
#include <vector>

#include "sim/trace/replay_state.h"

namespace phalanx::sim {
namespace {

// The nodes at the shadow time of the head, without the head itself.
struct Shadow {
  int64_t time_s = 0;
  GpuPool pool;
};

Shadow ShadowOf(const ReplayState& state, int32_t head_gpus) {
  Shadow shadow{state.now_s, state.pool()};
  for (auto it = state.running().begin(); it != state.running().end();) {
    shadow.time_s = it->first;
    // All that ends at once has gone before the head is tried.
    for (; it != state.running().end() && it->first == shadow.time_s; ++it) {
      shadow.pool.Give(state.shares(it->second));
    }
    if (shadow.pool.Fits(head_gpus)) break;
  }
  return shadow;
}

// Whether the head keeps its time although `shares` are taken beyond it. They stay taken then.
bool KeepsHead(Shadow& shadow, int32_t head_gpus, const GpuPool::Shares& shares,
               BackfillTest test) {
  shadow.pool.Take(shares);
  const bool keeps =
      test == BackfillTest::kPlace ? shadow.pool.Fits(head_gpus) : shadow.pool.free() >= head_gpus;
  if (!keeps) shadow.pool.Give(shares);
  return keeps;
}

std::vector<int32_t> Candidates(const ReplayState& state, BackfillOrder order) {
  std::vector<int32_t> candidates(state.queue.begin() + 1, state.queue.end());
  if (order == BackfillOrder::kShortestFirst) {
    std::sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
      return std::pair(state.job(a).run_s, a) < std::pair(state.job(b).run_s, b);
    });
  }
  return candidates;
}

}  // namespace

void Backfill(ReplayState& state, BackfillOrder order, BackfillTest test) {
  if (state.pool().free() == 0) return;
  const int32_t head_gpus = state.job(state.queue.front()).gpus;
  Shadow shadow = ShadowOf(state, head_gpus);
  std::vector<int32_t> started;
  for (int32_t index : Candidates(state, order)) {
    if (state.pool().free() == 0) break;
    const TraceJob& job = state.job(index);
    if (!state.pool().Fits(job.gpus)) continue;
    const bool in_time = state.now_s + job.run_s <= shadow.time_s;
    if (!in_time && !KeepsHead(shadow, head_gpus, state.pool().Choose(job.gpus), test)) continue;
    state.Start(index);
    started.push_back(index);
  }
  std::sort(started.begin(), started.end());
  std::erase_if(state.queue, [&](int32_t index) {
    return std::binary_search(started.begin(), started.end(), index);
  });
}

}  // namespace phalanx::sim

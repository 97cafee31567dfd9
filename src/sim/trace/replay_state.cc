#include "sim/trace/replay_state.h"

#include <algorithm>
#include <set>

namespace phalanx::sim {

void ReplayState::Start(int32_t index) {
  GpuPool::Shares& shares = shares_[static_cast<size_t>(index)];
  shares = pool_.Choose(job(index).gpus);
  pool_.Take(shares);
  start_s[static_cast<size_t>(index)] = now_s;
  running_.emplace(now_s + job(index).run_s, index);
}

void ReplayState::EndDue() {
  while (!running_.empty() && running_.begin()->first <= now_s) {
    GpuPool::Shares& shares = shares_[static_cast<size_t>(running_.begin()->second)];
    pool_.Give(shares);
    shares.clear();
    running_.erase(running_.begin());
  }
}

void StartHeads(ReplayState& state) {
  size_t started = 0;
  while (started < state.queue.size() && state.pool().Fits(state.job(state.queue[started]).gpus)) {
    state.Start(state.queue[started++]);
  }
  state.queue.erase(state.queue.begin(),
                    state.queue.begin() + static_cast<std::ptrdiff_t>(started));
}

void StartAll(ReplayState& state) {
  // Within a pass room only shrinks: what does not fit once does not fit again.
  std::set<int32_t> too_large;
  size_t kept = 0;
  size_t at = 0;
  for (; at < state.queue.size() && state.pool().free() > 0; ++at) {
    const int32_t index = state.queue[at];
    const int32_t gpus = state.job(index).gpus;
    if (!too_large.contains(gpus) && state.pool().Fits(gpus)) {
      state.Start(index);
    } else {
      too_large.insert(gpus);
      state.queue[kept++] = index;
    }
  }
  state.queue.erase(state.queue.begin() + static_cast<std::ptrdiff_t>(kept),
                    state.queue.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace phalanx::sim

#include "sim/baseline/gpu_pool.h"

#include <algorithm>

#include "core/base/check.h"

namespace phalanx::sim {

GpuPool::GpuPool(int32_t nodes, int32_t gpus_per_node)
    : per_node_(gpus_per_node),
      free_(nodes * gpus_per_node),
      free_of_(static_cast<size_t>(nodes), gpus_per_node),
      nodes_with_(static_cast<size_t>(gpus_per_node) + 1) {
  nodes_with_.back() = nodes;
}

bool GpuPool::Fits(int32_t gpus) const {
  const int32_t whole = gpus / per_node_;
  const int32_t rest = gpus % per_node_;
  const int32_t idle = nodes_with_.back();
  if (idle < whole) return false;
  if (rest == 0 || idle > whole) return true;
  // The rest may not share a node with the whole ones.
  for (int32_t f = rest; f < per_node_; ++f) {
    if (nodes_with_[static_cast<size_t>(f)] > 0) return true;
  }
  return false;
}

int32_t GpuPool::BestFit(int32_t gpus, const Shares& without) const {
  int32_t best = -1;
  size_t skip = 0;  // `without` is sorted by node
  for (int32_t node = 0; node < static_cast<int32_t>(free_of_.size()); ++node) {
    if (skip < without.size() && without[skip].node == node) {
      ++skip;
      continue;
    }
    const int32_t free = free_of_[static_cast<size_t>(node)];
    if (free < gpus) continue;
    if (best < 0 || free < free_of_[static_cast<size_t>(best)]) best = node;
    if (free == gpus) break;
  }
  return best;
}

GpuPool::Shares GpuPool::Choose(int32_t gpus) const {
  Shares shares;
  int32_t whole = gpus / per_node_;
  for (int32_t node = 0; whole > 0; ++node) {
    if (free_of_[static_cast<size_t>(node)] < per_node_) continue;
    shares.push_back({node, per_node_});
    --whole;
  }
  const int32_t rest = gpus % per_node_;
  if (rest > 0) shares.push_back({BestFit(rest, shares), rest});
  return shares;
}

void GpuPool::Move(const Shares& shares, int32_t sign) {
  for (const Share& share : shares) {
    int32_t& free = free_of_[static_cast<size_t>(share.node)];
    --nodes_with_[static_cast<size_t>(free)];
    free += sign * share.gpus;
    PHALANX_CHECK(free >= 0 && free <= per_node_, "node {} with {} free GPUs", share.node, free);
    ++nodes_with_[static_cast<size_t>(free)];
    free_ += sign * share.gpus;
  }
}

}  // namespace phalanx::sim

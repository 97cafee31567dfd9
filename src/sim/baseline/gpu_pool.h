// The nodes of a replay: N alike nodes, known by their number of free GPUs.
#ifndef PHALANX_SIM_BASELINE_GPU_POOL_H_
#define PHALANX_SIM_BASELINE_GPU_POOL_H_

#include <cstdint>
#include <vector>

namespace phalanx::sim {

class GpuPool {
 public:
  // What a job holds of one node.
  struct Share {
    int32_t node = 0;
    int32_t gpus = 0;
  };
  using Shares = std::vector<Share>;

  GpuPool(int32_t nodes, int32_t gpus_per_node);

  int32_t free() const { return free_; }
  int32_t capacity() const { return static_cast<int32_t>(free_of_.size()) * per_node_; }

  // Whether a job finds its nodes. O(GPUs of a node).
  bool Fits(int32_t gpus) const;
  // The nodes of a job that fits. One node holds a job that is no larger than a node, else whole
  // nodes the most of it, lowest first, and another node the rest: the node with the fewest free
  // GPUs that suffice, ties to the lowest.
  Shares Choose(int32_t gpus) const;
  void Take(const Shares& shares) { Move(shares, -1); }
  void Give(const Shares& shares) { Move(shares, +1); }

 private:
  int32_t BestFit(int32_t gpus, const Shares& without) const;
  void Move(const Shares& shares, int32_t sign);

  int32_t per_node_;
  int32_t free_;
  std::vector<int32_t> free_of_;     // by node
  std::vector<int32_t> nodes_with_;  // by number of free GPUs
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BASELINE_GPU_POOL_H_

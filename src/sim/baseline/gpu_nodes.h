// Nodes whose GPUs may be shared, as the baselines of the openb fill see them: what is left of each
// GPU, of CPU and of memory.
#ifndef PHALANX_SIM_BASELINE_GPU_NODES_H_
#define PHALANX_SIM_BASELINE_GPU_NODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/trace/openb.h"

namespace phalanx::sim {

inline constexpr int32_t kWholeGpu = 1000;

struct GpuNode {
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  std::vector<int32_t> gpu_milli;  // by GPU
  std::string model;

  int64_t TotalGpuMilli() const;
};

GpuNode IdleNode(const OpenbNode& node);

// Whether a GPU model is one that the request allows.
bool Allows(const OpenbRequest& request, const std::string& model);
// Whether the node has room: a part of one GPU, or so many idle ones.
bool HasGpus(const GpuNode& node, const OpenbRequest& request);
// All of it: model, CPU, memory, GPUs.
bool Takes(const GpuNode& node, const OpenbRequest& request);

// The GPU with the least left that suffices, the lowest on a tie. REQUIRES: HasGpus().
size_t BestFittingGpu(const GpuNode& node, const OpenbRequest& request);
// Takes what is asked for: a part of `gpu`, or the lowest idle GPUs (`gpu` means nothing then).
// REQUIRES: Takes().
void Use(GpuNode& node, const OpenbRequest& request, size_t gpu);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BASELINE_GPU_NODES_H_

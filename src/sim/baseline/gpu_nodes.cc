#include "sim/baseline/gpu_nodes.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace phalanx::sim {

int64_t GpuNode::TotalGpuMilli() const {
  return std::accumulate(gpu_milli.begin(), gpu_milli.end(), int64_t{0});
}

GpuNode IdleNode(const OpenbNode& node) {
  return {node.cpu_milli, node.memory_mib,
          std::vector<int32_t>(static_cast<size_t>(node.gpus), kWholeGpu), node.model};
}

bool Allows(const OpenbRequest& request, const std::string& model) {
  return request.models.empty() ||
         std::binary_search(request.models.begin(), request.models.end(), model);
}

bool HasGpus(const GpuNode& node, const OpenbRequest& request) {
  int32_t missing = request.gpus;
  for (const int32_t left : node.gpu_milli) missing -= left >= request.gpu_milli;
  return missing <= 0;
}

bool Takes(const GpuNode& node, const OpenbRequest& request) {
  return node.cpu_milli >= request.cpu_milli && node.memory_mib >= request.memory_mib &&
         HasGpus(node, request) && Allows(request, node.model);
}

size_t BestFittingGpu(const GpuNode& node, const OpenbRequest& request) {
  size_t best = node.gpu_milli.size();
  for (size_t gpu = 0; gpu < node.gpu_milli.size(); ++gpu) {
    if (node.gpu_milli[gpu] < request.gpu_milli) continue;
    if (best == node.gpu_milli.size() || node.gpu_milli[gpu] < node.gpu_milli[best]) best = gpu;
  }
  PHALANX_CHECK(best < node.gpu_milli.size(), "no GPU with {} left", request.gpu_milli);
  return best;
}

void Use(GpuNode& node, const OpenbRequest& request, size_t gpu) {
  node.cpu_milli -= request.cpu_milli;
  node.memory_mib -= request.memory_mib;
  if (request.Shares()) {
    node.gpu_milli[gpu] -= request.gpu_milli;
    return;
  }
  int32_t missing = request.gpus;
  for (int32_t& left : node.gpu_milli) {
    if (missing == 0) break;
    if (left < kWholeGpu) continue;
    left = 0;
    --missing;
  }
  PHALANX_CHECK(missing == 0, "{} idle GPUs too few", missing);
}

}  // namespace phalanx::sim

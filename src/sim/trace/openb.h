// Nodes and pods of Alibaba's "openb" cluster, in which pods may share a GPU.
#ifndef PHALANX_SIM_TRACE_OPENB_H_
#define PHALANX_SIM_TRACE_OPENB_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace phalanx::sim {

struct OpenbNode {
  std::string name;
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  int32_t gpus = 0;
  std::string model;  // of its GPUs
};

// What a pod asks for. Pods that ask for the same are alike.
struct OpenbRequest {
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  int32_t gpus = 0;                 // 0: none
  int32_t gpu_milli = 0;            // of each: 1000, or a part of the only one
  std::vector<std::string> models;  // one of these, sorted; empty: any

  int64_t TotalGpuMilli() const { return int64_t{gpus} * gpu_milli; }
  bool Shares() const { return gpus == 1 && gpu_milli < 1000; }

  friend auto operator<=>(const OpenbRequest&, const OpenbRequest&) = default;
};

struct OpenbNodes {
  std::vector<OpenbNode> nodes;  // by name
  // "FILE:LINE: 'VALUE', expected …", at most 20. Then `nodes` is empty.
  std::vector<std::string> errors;
};

struct OpenbPods {
  std::vector<OpenbRequest> pods;   // by name of the pod
  std::vector<std::string> errors;  // as above
};

// Tables with a header: `sn,cpu_milli,memory_mib,gpu,model`, and
// `name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec[,…]]`. Plain or gzip.
OpenbNodes ReadOpenbNodes(const std::string& path);
OpenbPods ReadOpenbPods(const std::string& path);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_OPENB_H_

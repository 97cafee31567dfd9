// FGD, "fragmentation gradient descent": each pod goes where it adds the least to the GPUs that the
// pods to come can not use (Weng et al., "Beware of Fragmentation", USENIX ATC 2023). A baseline:
// written after the published program, with its choices that decide the result.
//
//   1. Typical pods: the most frequent requests until they make up 95 % of the workload's pods,
//   with
//      their shares. Memory does not tell requests apart.
//   2. F of a node = Σ share × fragment over them: all that is left of its GPUs where the typical
//      pod can not run there (it is out by model, CPU or GPUs, or asks for no GPU at all), else
//      what is left of those GPUs that have too little left for it.
//   3. Score = int(100 × sigmoid((F before − F after) / 1000)), F in thousandths of a GPU. Equal
//      scores go to the first node. A part of a GPU goes to the GPU with the best score, the lowest
//      on a tie.
//
// F is summed in floating point, in the published order: near no change at all, rounding decides
// between a score of 49 and of 50.
#ifndef PHALANX_SIM_BASELINE_FGD_H_
#define PHALANX_SIM_BASELINE_FGD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/baseline/gpu_nodes.h"
#include "sim/trace/openb.h"

namespace phalanx::sim {

struct TypicalPod {
  OpenbRequest request;  // without memory
  double share = 0;
};

// By falling share.
std::vector<TypicalPod> TypicalPods(std::span<const OpenbRequest> pods);

class Fgd {
 public:
  // `requests`: the distinct ones that Choose() is asked about. All of them outlive this.
  Fgd(std::vector<TypicalPod> typical, std::span<const OpenbRequest> requests,
      std::span<const GpuNode> nodes);

  struct Choice {
    size_t node = 0;
    size_t gpu = 0;
  };
  // nullopt: no node takes the pod. Scores are kept per request and node until Changed().
  std::optional<Choice> Choose(size_t request);
  // The node is not what it was.
  void Changed(size_t node);

  // F of a node.
  double Fragmented(const GpuNode& node) const;

 private:
  struct Score {
    uint32_t version = 0;  // of the node; 0: not known
    int16_t score = 0;     // -1: the node does not take it
    uint16_t gpu = 0;
  };
  Score ScoreOf(const OpenbRequest& request, size_t node) const;
  int ScoreAfter(const GpuNode& after, size_t node) const;

  const std::vector<TypicalPod> typical_;
  const std::span<const OpenbRequest> requests_;
  const std::span<const GpuNode> nodes_;
  std::vector<double> fragmented_;          // by node
  std::vector<uint32_t> versions_;          // by node, from 1
  std::vector<std::vector<Score>> scores_;  // by request and node
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BASELINE_FGD_H_

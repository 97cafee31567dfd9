// Fills the nodes of openb with pods until far more was asked for than there is, and tells how much
// of the GPUs was given away: how well a rule packs (Weng et al., USENIX ATC 2023).
//
// The pods of a workload come in an order drawn by a seed, then more of them drawn with
// replacement, until what they ask for would exceed 130 % of all GPUs. They stay. A pod that finds
// no place is dropped. CPU, memory, GPU model and GPUs count; pods without GPUs are placed too.
// Nodes are named anew by a draw of the seed, as in the published program, since rules fall back on
// names.
#ifndef PHALANX_SIM_TRACE_OPENB_FILL_H_
#define PHALANX_SIM_TRACE_OPENB_FILL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/openb.h"

namespace phalanx::sim {

enum class FillRule : uint8_t {
  kFirstFit,  // the first node by name; a part of a GPU on the GPU that it fits best
  kFgd,       // baseline/fgd.h
  kPhalanx,   // the engine of production, openb_engine.h
};

// "first-fit", "fgd", "phalanx"
std::string_view NameOf(FillRule rule);

// What one fill is made of.
struct FillInput {
  std::vector<OpenbNode> nodes;        // by their new names, which are in order
  std::vector<OpenbRequest> requests;  // distinct
  std::vector<OpenbRequest> workload;  // all pods, from which the mix may be known
  std::vector<size_t> arrivals;        // indices into requests
  int64_t capacity_milli = 0;
};

FillInput DrawFill(const std::vector<OpenbNode>& nodes, const std::vector<OpenbRequest>& workload,
                   uint64_t seed);

struct FillResult {
  int64_t allocated_milli = 0;
  int32_t placed = 0;  // pods
  uint64_t hash = 0;   // of where each pod went
  std::string error;   // what went wrong; empty if all is well

  double Percent(const FillInput& input) const {
    return 100.0 * static_cast<double>(allocated_milli) / static_cast<double>(input.capacity_milli);
  }
};

FillResult Fill(const FillInput& input, FillRule rule);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_OPENB_FILL_H_

#include "sim/trace/openb_fill.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "core/base/hash.h"
#include "sim/baseline/fgd.h"
#include "sim/baseline/gpu_nodes.h"
#include "sim/trace/openb_engine.h"

namespace phalanx::sim {
namespace {

constexpr int64_t kPercentAsked = 130;

// The same on every machine, which the distributions of the standard library are not.
class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed) {}

  size_t Below(size_t end) { return static_cast<size_t>(random_() % end); }
  std::vector<size_t> Shuffled(size_t size) {
    std::vector<size_t> order(size);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = size; i-- > 1;) std::swap(order[i], order[Below(i + 1)]);
    return order;
  }

 private:
  std::mt19937_64 random_;
};

// Pods of the workload, each once, then again; an extra one that would ask for too much ends it.
std::vector<size_t> DrawPods(const std::vector<OpenbRequest>& workload, int64_t most_milli,
                             Draws& draws) {
  std::vector<size_t> pods = draws.Shuffled(workload.size());
  int64_t asked = 0;
  for (const OpenbRequest& pod : workload) asked += pod.TotalGpuMilli();
  while (asked > most_milli) {
    const auto out = pods.begin() + static_cast<ptrdiff_t>(draws.Below(pods.size()));
    asked -= workload[*out].TotalGpuMilli();
    pods.erase(out);
  }
  for (;;) {
    const size_t more = draws.Below(workload.size());
    asked += workload[more].TotalGpuMilli();
    if (asked > most_milli) return pods;
    pods.push_back(more);
  }
}

// Where the baselines put pods.
class Filler {
 public:
  explicit Filler(const FillInput& input) : input_(input) {
    for (const OpenbNode& node : input.nodes) nodes_.push_back(IdleNode(node));
  }

  template <class Choose, class Changed>
  FillResult Run(const Choose& choose, const Changed& changed) {
    FillResult result;
    Hash hash;
    for (const size_t index : input_.arrivals) {
      const OpenbRequest& request = input_.requests[index];
      const std::optional<Fgd::Choice> choice = choose(index);
      hash.Add(choice ? choice->node + 1 : 0);
      if (!choice) continue;
      Use(nodes_[choice->node], request, choice->gpu);
      changed(choice->node);
      result.allocated_milli += request.TotalGpuMilli();
      ++result.placed;
    }
    result.hash = hash.Done();
    return result;
  }

  std::optional<Fgd::Choice> FirstFit(size_t index) const {
    const OpenbRequest& request = input_.requests[index];
    for (size_t node = 0; node < nodes_.size(); ++node) {
      if (!Takes(nodes_[node], request)) continue;
      return Fgd::Choice{node, request.Shares() ? BestFittingGpu(nodes_[node], request) : 0};
    }
    return std::nullopt;
  }

  const std::vector<GpuNode>& nodes() const { return nodes_; }

 private:
  const FillInput& input_;
  std::vector<GpuNode> nodes_;
};

}  // namespace

std::string_view NameOf(FillRule rule) {
  switch (rule) {
    case FillRule::kFirstFit:
      return "first-fit";
    case FillRule::kFgd:
      return "fgd";
    case FillRule::kPhalanx:
      return "phalanx";
  }
  return "";
}

FillInput DrawFill(const std::vector<OpenbNode>& nodes, const std::vector<OpenbRequest>& workload,
                   uint64_t seed) {
  FillInput input;
  input.workload = workload;
  for (const OpenbNode& node : nodes) input.capacity_milli += int64_t{node.gpus} * kWholeGpu;
  Draws draws(seed);
  std::map<OpenbRequest, size_t> index;
  for (const size_t pod : DrawPods(workload, input.capacity_milli * kPercentAsked / 100, draws)) {
    const auto [it, added] = index.try_emplace(workload[pod], input.requests.size());
    if (added) input.requests.push_back(workload[pod]);
    input.arrivals.push_back(it->second);
  }
  for (const size_t node : draws.Shuffled(nodes.size())) {
    input.nodes.push_back(nodes[node]);
    input.nodes.back().name = fmt::format("{:04}-{}", input.nodes.size() - 1, nodes[node].name);
  }
  return input;
}

FillResult Fill(const FillInput& input, FillRule rule) {
  if (rule == FillRule::kPhalanx) return FillThroughEngine(input);
  Filler filler(input);
  if (rule == FillRule::kFirstFit) {
    return filler.Run([&filler](size_t request) { return filler.FirstFit(request); },
                      [](size_t /*node*/) {});
  }
  Fgd fgd(TypicalPods(input.workload), input.requests, filler.nodes());
  return filler.Run([&fgd](size_t request) { return fgd.Choose(request); },
                    [&fgd](size_t node) { fgd.Changed(node); });
}

}  // namespace phalanx::sim

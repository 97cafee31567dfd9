#include "sim/baseline/fgd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace phalanx::sim {
namespace {

constexpr double kTypicalPart = 0.95;

// Why a typical pod can not use what is left of a node; summed apart, in this order.
enum Fragment : size_t {
  kLacksBoth,
  kLacksGpu,
  kUsable,
  kLacksCpu,
  kNoGpuAsked,
  kNoGpuAskedLacksCpu,
  kOtherModel,
  kFragments
};

Fragment FragmentOf(const GpuNode& node, const OpenbRequest& typical) {
  const bool cpu = node.cpu_milli >= typical.cpu_milli;
  if (typical.gpu_milli == 0) return cpu ? kNoGpuAsked : kNoGpuAskedLacksCpu;
  if (!Allows(typical, node.model)) return kOtherModel;
  if (HasGpus(node, typical)) return cpu ? kUsable : kLacksCpu;
  return cpu ? kLacksGpu : kLacksBoth;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Falling order: by number, then by what is asked for, larger first.
auto OrderOf(int64_t count, const OpenbRequest& request) {
  return std::make_tuple(-count, -request.cpu_milli, -request.gpu_milli, -request.gpus);
}

}  // namespace

std::vector<TypicalPod> TypicalPods(std::span<const OpenbRequest> pods) {
  std::map<OpenbRequest, int64_t> counts;
  for (OpenbRequest pod : pods) {
    pod.memory_mib = 0;
    ++counts[std::move(pod)];
  }
  std::vector<std::pair<OpenbRequest, int64_t>> sorted(counts.rbegin(), counts.rend());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return OrderOf(a.second, a.first) < OrderOf(b.second, b.first);
  });
  const auto total = static_cast<double>(pods.size());
  double taken = 0;
  std::vector<TypicalPod> typical;
  for (auto& [request, count] : sorted) {
    if (taken >= kTypicalPart * total) break;
    taken += static_cast<double>(count);
    typical.push_back({std::move(request), static_cast<double>(count) / total});
  }
  for (TypicalPod& pod : typical) pod.share /= taken / total;
  return typical;
}

Fgd::Fgd(std::vector<TypicalPod> typical, std::span<const OpenbRequest> requests,
         std::span<const GpuNode> nodes)
    : typical_(std::move(typical)),
      requests_(requests),
      nodes_(nodes),
      fragmented_(nodes.size()),
      versions_(nodes.size()),
      scores_(requests.size(), std::vector<Score>(nodes.size())) {
  for (size_t node = 0; node < nodes.size(); ++node) Changed(node);
}

void Fgd::Changed(size_t node) {
  fragmented_[node] = Fragmented(nodes_[node]);
  ++versions_[node];
}

double Fgd::Fragmented(const GpuNode& node) const {
  std::array<double, kFragments> sums{};
  const int64_t left = node.TotalGpuMilli();
  for (const TypicalPod& typical : typical_) {
    const Fragment fragment = FragmentOf(node, typical.request);
    if (fragment != kUsable) {
      sums[fragment] += typical.share * static_cast<double>(left);
      continue;
    }
    int64_t too_little = 0;
    for (const int32_t gpu : node.gpu_milli) {
      if (gpu < typical.request.gpu_milli) too_little += gpu;
    }
    sums[kLacksGpu] += typical.share * static_cast<double>(too_little);
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

int Fgd::ScoreAfter(const GpuNode& after, size_t node) const {
  return static_cast<int>(Sigmoid((fragmented_[node] - Fragmented(after)) / 1000) * 100);
}

Fgd::Score Fgd::ScoreOf(const OpenbRequest& request, size_t index) const {
  const GpuNode& node = nodes_[index];
  Score best{versions_[index], -1, 0};
  if (!Takes(node, request)) return best;
  const auto look = [&](size_t gpu) {
    GpuNode after = node;
    Use(after, request, gpu);
    const auto score = static_cast<int16_t>(ScoreAfter(after, index));
    if (score > best.score) best = {best.version, score, static_cast<uint16_t>(gpu)};
  };
  if (!request.Shares()) {
    look(0);
    return best;
  }
  for (size_t gpu = 0; gpu < node.gpu_milli.size(); ++gpu) {
    if (node.gpu_milli[gpu] < request.gpu_milli) continue;
    const auto alike =
        std::find(node.gpu_milli.begin(), node.gpu_milli.begin() + static_cast<ptrdiff_t>(gpu),
                  node.gpu_milli[gpu]);
    // The first of equal ones stands for all.
    if (alike == node.gpu_milli.begin() + static_cast<ptrdiff_t>(gpu)) look(gpu);
  }
  return best;
}

std::optional<Fgd::Choice> Fgd::Choose(size_t request) {
  std::optional<Choice> choice;
  int16_t best = -1;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    Score& score = scores_[request][node];
    if (score.version != versions_[node]) score = ScoreOf(requests_[request], node);
    if (score.score <= best) continue;
    best = score.score;
    choice = Choice{node, score.gpu};
  }
  return choice;
}

}  // namespace phalanx::sim

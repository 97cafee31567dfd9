#include "sim/trace/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "sim/trace/engine_replay.h"
#include "sim/trace/replay_state.h"

namespace phalanx::sim {
namespace {

constexpr std::array<std::pair<std::string_view, ReplayPolicy>, 8> kNames = {{
    {"fifo", ReplayPolicy::kFifo},
    {"skip-ahead", ReplayPolicy::kSkipAhead},
    {"easy", ReplayPolicy::kEasy},
    {"easy-shortest-first", ReplayPolicy::kEasyShortestFirst},
    {"easy-by-count", ReplayPolicy::kEasyByCount},
    {"shortest-first", ReplayPolicy::kShortestFirst},
    {"smallest-area-first", ReplayPolicy::kSmallestAreaFirst},
    {"phalanx", ReplayPolicy::kPhalanx},
}};

int64_t OrderKey(ReplayPolicy policy, const TraceJob& job) {
  if (policy == ReplayPolicy::kShortestFirst) return job.run_s;
  if (policy == ReplayPolicy::kSmallestAreaFirst) return job.Area();
  return 0;  // in order of arrival, which is the order of the indexes
}

void Pass(ReplayState& state, ReplayPolicy policy) {
  if (policy == ReplayPolicy::kSkipAhead) return StartAll(state);
  StartHeads(state);
  if (state.queue.empty()) return;
  if (policy == ReplayPolicy::kEasy) {
    Backfill(state, BackfillOrder::kQueue, BackfillTest::kPlace);
  } else if (policy == ReplayPolicy::kEasyShortestFirst) {
    Backfill(state, BackfillOrder::kShortestFirst, BackfillTest::kPlace);
  } else if (policy == ReplayPolicy::kEasyByCount) {
    Backfill(state, BackfillOrder::kQueue, BackfillTest::kCount);
  }
}

void Enqueue(ReplayState& state, ReplayPolicy policy, int32_t index) {
  auto before = [&](int32_t a, int32_t b) {
    return std::pair(OrderKey(policy, state.job(a)), a) <
           std::pair(OrderKey(policy, state.job(b)), b);
  };
  auto at = std::lower_bound(state.queue.begin(), state.queue.end(), index, before);
  state.queue.insert(at, index);
}

}  // namespace

std::string_view NameOf(ReplayPolicy policy) {
  for (const auto& [name, value] : kNames) {
    if (value == policy) return name;
  }
  return "";
}

std::optional<ReplayPolicy> ReplayPolicyOf(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string ReplayPolicyNames() {
  std::vector<std::string_view> names;
  names.reserve(kNames.size());
  for (const auto& [name, value] : kNames) names.push_back(name);
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string WhyNotReplayable(const Trace& trace, const ReplaySettings& settings) {
  const int64_t capacity = int64_t{settings.nodes} * settings.gpus_per_node;
  for (const TraceJob& job : trace.jobs) {
    if (job.gpus <= capacity) continue;
    return fmt::format("the job of line {} asks for {} GPUs, expected at most {}: {} nodes of {}",
                       job.line, job.gpus, capacity, settings.nodes, settings.gpus_per_node);
  }
  return "";
}

ReplayResult Replay(const Trace& trace, const ReplaySettings& settings) {
  if (settings.policy == ReplayPolicy::kPhalanx) {
    EngineReplay replay = ReplayThroughEngine(trace, settings);
    PHALANX_CHECK(replay.error.empty(), "{}", replay.error);
    return std::move(replay.result);
  }
  const GpuPool pool = settings.locality ? GpuPool(settings.nodes, settings.gpus_per_node)
                                         : GpuPool(1, settings.nodes * settings.gpus_per_node);
  ReplayState state(trace, pool);
  state.start_s.resize(trace.jobs.size());
  ReplayResult result;
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  size_t next = 0;
  while (next < trace.jobs.size() || !state.running().empty()) {
    const int64_t arrival = next < trace.jobs.size() ? trace.jobs[next].submit_s : kNever;
    const int64_t end = state.running().empty() ? kNever : state.running().begin()->first;
    state.now_s = std::min(arrival, end);
    state.EndDue();
    for (; next < trace.jobs.size() && trace.jobs[next].submit_s == state.now_s; ++next) {
      Enqueue(state, settings.policy, static_cast<int32_t>(next));
    }
    Pass(state, settings.policy);
    result.max_queue = std::max(result.max_queue, static_cast<int64_t>(state.queue.size()));
  }
  result.start_s = std::move(state.start_s);
  return result;
}

}  // namespace phalanx::sim

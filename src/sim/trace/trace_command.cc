#include "sim/trace/trace_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "sim/trace/summary.h"

namespace phalanx::sim {
namespace {

constexpr char kTitle[] =
    "policy                mean wait s     p50 s     p90 s     p99 s  mean BSLD   1 GPU s   8 GPU s"
    "    wide s  max queue\n";

std::string RowOf(ReplayPolicy policy, const ReplaySummary& s) {
  return fmt::format(
      "{:<20} {:>12.0f} {:>9} {:>9} {:>9} {:>10.1f} {:>9.0f} {:>9.0f} {:>9.0f} {:>10}\n",
      NameOf(policy), s.mean_wait_s, s.p50_wait_s, s.p90_wait_s, s.p99_wait_s,
      s.mean_bounded_slowdown, s.mean_wait_1_gpu_s, s.mean_wait_8_gpu_s, s.mean_wait_wide_s,
      s.max_queue);
}

nlohmann::ordered_json JsonOf(const ReplaySettings& settings, const ReplaySummary& s) {
  return {{"policy", NameOf(settings.policy)},
          {"nodes", settings.nodes},
          {"gpus_per_node", settings.gpus_per_node},
          {"locality", settings.locality},
          {"mean_wait_s", s.mean_wait_s},
          {"p50_wait_s", s.p50_wait_s},
          {"p90_wait_s", s.p90_wait_s},
          {"p99_wait_s", s.p99_wait_s},
          {"mean_bounded_slowdown", s.mean_bounded_slowdown},
          {"mean_wait_1_gpu_s", s.mean_wait_1_gpu_s},
          {"mean_wait_8_gpu_s", s.mean_wait_8_gpu_s},
          {"mean_wait_wide_s", s.mean_wait_wide_s},
          {"max_queue", s.max_queue}};
}

// nullopt with the reason on `err` for a name that is no policy.
std::optional<std::vector<ReplayPolicy>> PoliciesOf(const std::vector<std::string>& names,
                                                    std::ostream& err) {
  std::vector<ReplayPolicy> policies;
  if (names.empty()) {
    for (int i = 0; i <= static_cast<int>(ReplayPolicy::kPhalanx); ++i) {
      policies.push_back(static_cast<ReplayPolicy>(i));
    }
  }
  for (const std::string& name : names) {
    const std::optional<ReplayPolicy> policy = ReplayPolicyOf(name);
    if (!policy) {
      err << fmt::format("--policy '{}', expected one of {}\n", name, ReplayPolicyNames());
      return std::nullopt;
    }
    policies.push_back(*policy);
  }
  return policies;
}

}  // namespace

int RunTrace(const TraceCommand& command, std::ostream& out, std::ostream& err) {
  constexpr int kBad = 2;
  const auto policies = PoliciesOf(command.policies, err);
  if (!policies) return kBad;
  const Trace trace = ReadPhilly(command.file);
  for (const std::string& error : trace.errors) err << error << "\n";
  if (!trace.errors.empty()) return kBad;
  const std::string why = WhyNotReplayable(trace, command.settings);
  if (!why.empty()) {
    err << command.file << ": " << why << "\n";
    return kBad;
  }
  if (!command.json) {
    out << fmt::format("{}: {} jobs, {} nodes of {} GPUs\n{}", command.name, trace.jobs.size(),
                       command.settings.nodes, command.settings.gpus_per_node, kTitle);
  }
  for (ReplayPolicy policy : *policies) {
    ReplaySettings settings = command.settings;
    settings.policy = policy;
    const ReplaySummary summary = Summarize(trace, Replay(trace, settings));
    if (command.json) {
      out << JsonOf(settings, summary).dump() << "\n";
    } else {
      out << RowOf(policy, summary);
    }
    out.flush();
  }
  return 0;
}

}  // namespace phalanx::sim

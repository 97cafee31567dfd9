#include "sim/faults/campaign.h"

#include <algorithm>
#include <atomic>
#include <sstream>
#include <thread>

#include "sim/faults/plan.h"
#include "sim/parser.h"
#include "sim/runner.h"

namespace phalanx::sim {
namespace {

constexpr size_t kLastEvents = 15;
// Of virtual time. Faults are over after a minute, and back-off is short.
constexpr Duration kLongestRun = Duration::Minutes(6 * 60);
// A prime, so that no rhythm of the messages hides behind it.
constexpr int64_t kSampleEvery = 17;
// What an expectation that failed is called.
constexpr char kLiveness[] = "liveness";

struct SeedRun {
  FaultPlan plan;
  RunResult result;
};

Violation FirstFinding(const RunResult& result) {
  if (!result.violations.empty()) return result.violations.front();
  const Failure& failure = result.failures.front();
  return {failure.at, result.commands, kLiveness, failure.got, failure.state};
}

std::vector<std::string> LastLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.size() > kLastEvents) lines.erase(lines.begin(), lines.end() - kLastEvents);
  return lines;
}

RunResult RunPlan(const CampaignOptions& options, uint64_t seed, const FaultPlan& plan,
                  std::ostream* decisions) {
  const ParseResult parsed = ParseScenario(plan.text, "seed-" + std::to_string(seed));
  if (!parsed.errors.empty()) {
    RunResult broken;
    broken.violations.push_back({{}, 0, "plan", parsed.errors.front().Text(), "can't be read"});
    broken.failures.emplace_back();
    return broken;
  }
  const std::unique_ptr<Tamper> tamper = options.tamper ? options.tamper() : nullptr;
  RunOptions run;
  run.decisions = decisions;
  run.stops_at_violation = true;
  run.tamper = tamper.get();
  run.only_check = options.only_check;
  run.longest = kLongestRun;
  run.sample_every = kSampleEvery;
  RunResult result = RunScenario(parsed.scenario, run);
  if (options.only_check.empty()) return result;
  std::erase_if(result.violations,
                [&](const Violation& found) { return found.check != options.only_check; });
  if (options.only_check != kLiveness && result.violations.empty()) result.failures.clear();
  return result;
}

// Once more, to see what came before.
SeedFailure Describe(const CampaignOptions& options, uint64_t seed, const FaultPlan& plan) {
  std::ostringstream decisions;
  const RunResult again = RunPlan(options, seed, plan, &decisions);
  return {seed, FirstFinding(again), LastLines(decisions.str())};
}

void Add(const SeedRun& run, CampaignResult& sum) {
  CampaignTotals& totals = sum.totals;
  const RunResult& result = run.result;
  totals.gangs += run.plan.gangs;
  totals.members += run.plan.members;
  for (const auto& [kind, count] : run.plan.faults) totals.faults[kind] += count;
  totals.commands += result.commands;
  totals.admits += result.admits;
  totals.binds += result.binds;
  totals.evictions += result.evictions;
  totals.restarts += result.restarts;
  totals.epochs += result.epochs;
  totals.spent += result.spent;
  totals.messages_late += result.messages.late;
  totals.messages_twice += result.messages.twice;
  totals.messages_lost += result.messages.lost;
  totals.messages_dropped += result.messages.dropped;
  totals.virtual_time = totals.virtual_time + result.lasted;
  for (uint64_t part : {result.decisions, result.digest}) {
    sum.hash = (sum.hash ^ part) * 1099511628211u;
  }
}

}  // namespace

CampaignResult RunCampaign(const CampaignOptions& options) {
  std::vector<SeedRun> runs(options.seeds);
  std::atomic<uint64_t> next{0};
  auto work = [&] {
    for (uint64_t i = next++; i < options.seeds; i = next++) {
      const uint64_t seed = options.first + i;
      runs[i].plan = MakeFaultPlan(seed);
      runs[i].result = RunPlan(options, seed, runs[i].plan, nullptr);
      if (runs[i].result.failures.empty()) runs[i].plan.text.clear();
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < options.threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();

  CampaignResult sum;
  sum.seeds = options.seeds;
  sum.hash = 14695981039346656037u;
  for (uint64_t i = 0; i < options.seeds; ++i) {
    Add(runs[i], sum);
    if (runs[i].result.failures.empty()) continue;
    sum.failures.push_back(Describe(options, options.first + i, runs[i].plan));
  }
  return sum;
}

}  // namespace phalanx::sim

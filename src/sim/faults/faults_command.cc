#include "sim/faults/faults_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/faults/campaign.h"
#include "sim/faults/plan.h"
#include "sim/text.h"

namespace phalanx::sim {
namespace {

using Json = nlohmann::ordered_json;

// Failures that are told in full.
constexpr size_t kToldFailures = 5;

std::string Hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

Json ToJson(const SeedFailure& failure) {
  const Violation& violation = failure.violation;
  return {{"seed", failure.seed},
          {"t_ms", violation.at.ms},
          {"step", violation.step},
          {"check", violation.check},
          {"entity", violation.entity},
          {"text", violation.text},
          {"last_events", failure.last_events}};
}

Json ToJson(const CampaignTotals& totals) {
  return {{"gangs", totals.gangs},
          {"members", totals.members},
          {"faults", totals.faults},
          {"commands", totals.commands},
          {"admits", totals.admits},
          {"binds", totals.binds},
          {"evictions", totals.evictions},
          {"brain_restarts", totals.restarts},
          {"epochs", totals.epochs},
          {"gangs_spent", totals.spent},
          {"messages_late", totals.messages_late},
          {"messages_twice", totals.messages_twice},
          {"messages_lost", totals.messages_lost},
          {"messages_dropped", totals.messages_dropped},
          {"virtual_s", totals.virtual_time.ms / 1000}};
}

void PrintJson(std::ostream& out, const CampaignResult& result) {
  Json failures = Json::array();
  for (const SeedFailure& failure : result.failures) failures.push_back(ToJson(failure));
  const Json line = {{"seeds", result.seeds},
                     {"failed", result.failures.size()},
                     {"totals", ToJson(result.totals)},
                     {"hash", Hex(result.hash)},
                     {"failures", std::move(failures)}};
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void Print(std::ostream& out, const SeedFailure& failure) {
  const Violation& violation = failure.violation;
  out << fmt::format("FAIL seed {} at {}, step {}: {}: {}{}{}\n", failure.seed,
                     DurationText(violation.at), violation.step, violation.check, violation.entity,
                     violation.entity.empty() ? "" : ": ", violation.text);
  out << "  last events:\n";
  for (const std::string& event : failure.last_events) out << "    " << event << '\n';
  out << fmt::format(
      "  again: phalanx-sim faults --seed {0}; its plan, to be kept as a file: phalanx-sim faults "
      "--seed {0} --print\n",
      failure.seed);
}

void Print(std::ostream& out, const CampaignResult& result) {
  for (size_t i = 0; i < std::min(kToldFailures, result.failures.size()); ++i) {
    Print(out, result.failures[i]);
  }
  const CampaignTotals& totals = result.totals;
  int64_t faults = 0;
  for (const auto& [kind, count] : totals.faults) faults += count;
  out << fmt::format("gangs {} ({} spent), members {}, faults {}\n", totals.gangs, totals.spent,
                     totals.members, faults);
  for (const auto& [kind, count] : totals.faults)
    out << fmt::format("  {:<18}{:>9}\n", kind, count);
  out << fmt::format("commands {}, admits {}, binds {}, evictions {}\n", totals.commands,
                     totals.admits, totals.binds, totals.evictions);
  out << fmt::format(
      "brain restarts {}, epochs {}; messages late {}, twice {}, lost {}, dropped {}\n",
      totals.restarts, totals.epochs, totals.messages_late, totals.messages_twice,
      totals.messages_lost, totals.messages_dropped);
  out << fmt::format("virtual time {}\nhash {}\n", DurationText(totals.virtual_time),
                     Hex(result.hash));
  out << fmt::format("{} passed, {} failed\n", result.seeds - result.failures.size(),
                     result.failures.size());
}

}  // namespace

int RunFaults(const FaultsCommand& command, std::ostream& out) {
  CampaignOptions options;
  options.first = command.seed.value_or(1);
  options.seeds = command.seeds.value_or(command.seed ? 1 : 100);
  if (command.print) {
    for (uint64_t i = 0; i < options.seeds; ++i) out << MakeFaultPlan(options.first + i).text;
    return 0;
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.threads = command.threads > 0 ? command.threads : cores;
  const CampaignResult result = RunCampaign(options);
  if (command.json) {
    PrintJson(out, result);
  } else {
    Print(out, result);
  }
  return result.failures.empty() ? 0 : 1;
}

}  // namespace phalanx::sim

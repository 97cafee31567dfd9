// phalanx-sim: the brain in worlds of one's own, under virtual time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/faults/faults_command.h"
#include "sim/parser.h"
#include "sim/place/place_command.h"
#include "sim/report.h"
#include "sim/runner.h"
#include "sim/trace/trace_command.h"

namespace {

using phalanx::sim::ParseResult;
using phalanx::sim::RunOptions;
using phalanx::sim::RunResult;

constexpr int kPassed = 0;
constexpr int kFailed = 1;
constexpr int kBadFile = 2;

constexpr char kFooter[] =
    "A scenario (FILE.scn) is a small text: nodes, pods, what happens when, "
    "and what is expected.\n"
    "\n"
    "  why: a gang of 2 does not start on half of its room\n"
    "  node n[1-2] gpu=8\n"
    "  gang team/a members=2 gpu=8 at=1s runs=60s\n"
    "  gang team/b members=2 gpu=8 at=2s\n"
    "  expect at=5s gang team/a phase=Running nodes=[n1 n2]\n"
    "  expect at=5s gang team/b waits holds-none code=Capacity\n"
    "  expect gang team/b phase=Running\n"
    "\n"
    "The grammar is in docs/guides/scenarios.md, examples are in "
    "test/scenario/.\n"
    "Exit status: 0 all passed, 1 an expectation failed, 2 a file or an "
    "argument is wrong.";

struct Arguments {
  std::vector<std::string> files;
  bool json = false;
  bool answers = false;
  uint64_t jitter_seed = 0;
  bool check_only = false;
};

bool ReadFile(const std::string& file, std::string& text) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::cerr << fmt::format("{}: cannot be opened, expected a readable scenario file\n", file);
    return false;
  }
  std::ostringstream content;
  content << in.rdbuf();
  text = content.str();
  return in.good() || in.eof();
}

// Runs one file; the exit status that it alone would give.
int RunFile(const std::string& file, const Arguments& arguments) {
  std::string text;
  if (!ReadFile(file, text)) return kBadFile;
  ParseResult parsed = phalanx::sim::ParseScenario(text, file);
  if (!parsed.errors.empty()) {
    phalanx::sim::PrintParseErrors(std::cerr, parsed);
    return kBadFile;
  }
  if (arguments.check_only) return kPassed;
  if (arguments.jitter_seed != 0) {
    parsed.scenario.jitter_seed = arguments.jitter_seed;
    if (parsed.scenario.jitter_max.ms == 0) parsed.scenario.jitter_max.ms = 20;
  }
  RunOptions options;
  options.answers = arguments.answers;
  if (arguments.json) options.decisions = &std::cout;
  RunResult result = phalanx::sim::RunScenario(parsed.scenario, options);
  if (arguments.json) {
    phalanx::sim::PrintResultJson(std::cout, result);
  } else {
    phalanx::sim::PrintResult(std::cout, result);
  }
  return result.failures.empty() ? kPassed : kFailed;
}

int RunFiles(const Arguments& arguments) {
  int passed = 0;
  int failed = 0;
  int status = kPassed;
  for (const std::string& file : arguments.files) {
    int one = RunFile(file, arguments);
    ++(one == kPassed ? passed : failed);
    status = std::max(status, one);
  }
  // JSON lines stay JSON.
  (arguments.json ? std::cerr : std::cout) << fmt::format("{} passed, {} failed\n", passed, failed);
  return status;
}

void AddRun(CLI::App& app, Arguments& arguments, int& status) {
  CLI::App* run = app.add_subcommand("run", "run scenario files and check what they expect");
  run->footer(kFooter);
  run->add_option("FILE", arguments.files, "scenario files (.scn)")->required();
  run->add_flag("--json", arguments.json,
                "print all decisions and the result, one JSON object a line");
  run->add_flag("--answers", arguments.answers,
                "with --json: also how calls about pods are answered");
  run->add_flag("--check", arguments.check_only, "read the files only");
  run->add_option("--jitter", arguments.jitter_seed,
                  "vary all latencies by up to 20 ms, drawn from this seed (from 1 on)");
  run->callback([&arguments, &status] { status = RunFiles(arguments); });
}

void AddFaults(CLI::App& app, phalanx::sim::FaultsCommand& command, int& status) {
  CLI::App* faults = app.add_subcommand(
      "faults",
      "run seeds of clusters in which things go wrong for a minute, and check that every "
      "promise holds and that all that fits runs in the end");
  faults->add_option("--seeds", command.seeds, "how many; 100, or 1 with --seed")
      ->check(CLI::Range(uint64_t{1}, uint64_t{10'000'000}));
  faults->add_option("--seed", command.seed, "the first seed; 1");
  faults->add_option("--threads", command.threads, "how many run at a time; as many as cores")
      ->check(CLI::Range(1, 1024));
  faults->add_flag("--json", command.json, "one JSON object");
  faults->add_flag("--print", command.print,
                   "print the plans as scenarios, to be kept as files; run nothing");
  faults->footer(
      "Guide: docs/guides/scenarios.md. Exit status: 0 all is well, 1 a promise was "
      "broken, 2 a bad argument.");
  faults->callback([&command, &status] { status = phalanx::sim::RunFaults(command, std::cout); });
}

void AddTrace(CLI::App& app, phalanx::sim::TraceCommand& command, int& status) {
  CLI::App* trace = app.add_subcommand(
      "trace", "replay the jobs of a recorded cluster under the baseline policies");
  trace->add_option("NAME", command.name, "format of the trace")
      ->required()
      ->check(CLI::IsMember({"philly"}));
  command.file = "test/data/philly-2017/philly.csv.gz";
  trace->add_option("FILE", command.file, "plain or gzip")->capture_default_str();
  trace->add_option("--policy", command.policies, phalanx::sim::ReplayPolicyNames())
      ->delimiter(',');
  trace->add_option("--nodes", command.settings.nodes, "how many nodes")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  trace->add_option("--gpus-per-node", command.settings.gpus_per_node, "GPUs of each")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  trace->add_flag("!--no-locality", command.settings.locality,
                  "any GPUs will do, as if all were in one node");
  trace->add_flag("--json", command.json, "one JSON object a line");
  trace->footer("Guide: docs/guides/traces.md. Exit status: 0, or 2 for a bad file or argument.");
  trace->callback(
      [&command, &status] { status = phalanx::sim::RunTrace(command, std::cout, std::cerr); });
}

void AddPlace(CLI::App& app, phalanx::sim::PlaceCommand& command, int& status) {
  CLI::App* place = app.add_subcommand(
      "place", "place one gang in the world of a file, beside first fit and nested best fit");
  place->add_option("FILE", command.file, "a scenario, or a world: one without why: and expect")
      ->required();
  place->add_option("GANG", command.gang,
                    "a gang or job of the file; may be left out if it is alone");
  place->add_option("--gang", command.stated,
                    "a gang statement without its verb: \"NAME members=N gpu=8 required=rack\"");
  place->add_flag("--json", command.json, "one JSON object on one line");
  place->footer(
      "What stands before the gang has happened, and gangs above it have their places.\n"
      "Guide: docs/guides/placing.md. Exit status: 0 placed, 1 refused, 2 a bad file or argument.");
  place->callback(
      [&command, &status] { status = phalanx::sim::RunPlace(command, std::cout, std::cerr); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "phalanx-sim runs the scheduler's brain in simulated clusters "
      "under virtual time."};
  app.footer(kFooter);
  app.require_subcommand(1);
  Arguments arguments;
  int status = kPassed;
  AddRun(app, arguments, status);
  phalanx::sim::FaultsCommand faults;
  AddFaults(app, faults, status);
  phalanx::sim::TraceCommand trace;
  AddTrace(app, trace, status);
  phalanx::sim::PlaceCommand place;
  AddPlace(app, place, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kBadFile;
  }
  return status;
}

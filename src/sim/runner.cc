#include "sim/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/checker.h"
#include "sim/world.h"

namespace phalanx::sim {
namespace {

// When nothing but deadlines is left, those that are due within this time still count: a back-off
// ends, a node is allowed again.
constexpr Duration kPatience = Duration::Minutes(5);
// More events than this at one instant mean that something turns in circles.
constexpr int64_t kMostEventsAtOnce = 5'000'000;

Duration LastStatement(const Scenario& scenario, const Expectations& expectations) {
  Duration last = expectations.LastTime();
  for (const Action& action : scenario.actions) last = std::max(last, action.at);
  return last;
}

class Run {
 public:
  Run(const Scenario& scenario, const RunOptions& options)
      : scenario_(scenario),
        stops_at_violation_(options.stops_at_violation),
        longest_(options.longest),
        world_(scenario, options.decisions, options.answers, options.tamper),
        checker_(world_, options.only_check, options.sample_every),
        expectations_(world_, checker_),
        last_statement_(LastStatement(scenario, expectations_)) {}

  RunResult Finish() {
    while (!Over()) RunInstant();
    if (!Stopped()) {
      checker_.AtEnd();
      expectations_.AtEnd();
    }
    return Result();
  }

 private:
  Duration NextDue() {
    Time next = world_.queue().next();
    return next == Time::Never() ? kEnd : next - world_.queue().start();
  }

  bool Stopped() { return stops_at_violation_ && !checker_.violations().empty(); }

  bool Over() {
    if (stuck_ || world_.queue().empty() || Stopped()) return true;
    Duration next = NextDue();
    if (scenario_.end) return next > *scenario_.end;
    if (world_.queue().foreground() > 0) return false;
    return next > std::max(last_busy_ + kPatience, last_statement_);
  }

  void RunInstant() {
    Time now = world_.queue().next();
    bool busy = world_.queue().foreground() > 0;
    int64_t events = 0;
    while (world_.queue().next() == now) {
      world_.queue().RunNext();
      if (++events > kMostEventsAtOnce) return GiveUp("has an instant that does not end");
    }
    if (busy) last_busy_ = world_.queue().elapsed();
    if (world_.queue().elapsed() > longest_) return GiveUp("does not come to rest");
    checker_.AfterInstant();
    expectations_.AfterInstant(Over() ? kEnd : NextDue());
  }

  void GiveUp(const std::string& why) {
    stuck_ = true;
    gave_up_.push_back(
        {world_.queue().elapsed(), world_.brain().commands(), "rest", "the run", why});
  }

  RunResult Result() {
    RunResult result;
    result.file = scenario_.file;
    result.failures = expectations_.failures();
    std::vector<Violation> violations = checker_.violations();
    violations.insert(violations.end(), gave_up_.begin(), gave_up_.end());
    result.violations = violations;
    for (const Violation& violation : violations) {
      Failure failure;
      failure.at = violation.at;
      failure.statement = "what must hold in every run: " + violation.check;
      failure.got = violation.entity + (violation.entity.empty() ? "" : " ") + violation.text;
      result.failures.push_back(std::move(failure));
    }
    result.expectations = scenario_.expectations.size();
    result.digest = world_.brain().engine().Digest();
    result.decisions = world_.recorder().hash();
    result.commands = world_.brain().commands();
    result.admits = world_.recorder().totals().admits;
    result.binds = world_.api().binds();
    result.evictions = world_.recorder().totals().evicts;
    result.restarts = world_.brain().lives() - 1;
    result.epochs = world_.adapter().epochs();
    result.spent = std::ranges::count_if(scenario_.groups, [this](const std::string& group) {
      return world_.api().spent().contains(group);
    });
    result.messages = world_.link().counts();
    result.lasted = world_.queue().elapsed();
    return result;
  }

  const Scenario& scenario_;
  bool stops_at_violation_;
  Duration longest_;
  World world_;
  Checker checker_;
  Expectations expectations_;
  Duration last_statement_;
  Duration last_busy_;
  bool stuck_ = false;
  std::vector<Violation> gave_up_;
};

}  // namespace

RunResult RunScenario(const Scenario& scenario, const RunOptions& options) {
  return Run(scenario, options).Finish();
}

}  // namespace phalanx::sim

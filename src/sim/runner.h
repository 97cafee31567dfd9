// Runs a scenario from its first instant to its end.
#ifndef PHALANX_SIM_RUNNER_H_
#define PHALANX_SIM_RUNNER_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "sim/expectations.h"
#include "sim/scenario.h"

namespace phalanx::sim {

struct RunOptions {
  std::ostream* decisions = nullptr;  // JSON lines
  bool answers = false;
};

struct RunResult {
  std::string file;
  std::vector<Failure> failures;  // empty: passed
  size_t expectations = 0;
  uint64_t digest = 0;     // of the engine at the end
  uint64_t decisions = 0;  // hash of all decisions with their times
  int64_t commands = 0;
  Duration lasted;
};

// Deterministic: equal scenarios give equal results.
RunResult RunScenario(const Scenario& scenario, const RunOptions& options);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_RUNNER_H_

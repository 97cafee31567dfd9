// Runs a scenario from its first instant to its end.
#ifndef PHALANX_SIM_RUNNER_H_
#define PHALANX_SIM_RUNNER_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "sim/check/check.h"
#include "sim/expectations.h"
#include "sim/link.h"
#include "sim/scenario.h"
#include "sim/tamper.h"

namespace phalanx::sim {

struct RunOptions {
  std::ostream* decisions = nullptr;  // JSON lines
  bool answers = false;
  bool stops_at_violation = false;
  Duration longest =
      Duration::Minutes(60 * 24 * 60);  // a run that lasts longer does not come to rest
  Tamper* tamper = nullptr;
  int64_t sample_every = 0;     // commands between full checks; 0: by the size of the world
  std::string only_check = {};  // findings of other checks are left out
};

struct RunResult {
  std::string file;
  std::vector<Failure> failures;      // empty: passed
  std::vector<Violation> violations;  // those of them that no line asked for
  size_t expectations = 0;
  uint64_t digest = 0;     // of the engine at the end
  uint64_t decisions = 0;  // hash of all decisions with their times
  int64_t commands = 0;
  int64_t admits = 0;
  int64_t binds = 0;
  int64_t evictions = 0;
  int64_t restarts = 0;  // of the brain
  int64_t epochs = 0;
  int64_t spent = 0;  // gangs of ours that can't be whole again: see ApiServer::spent()
  Link::Counts messages;
  Duration lasted;
};

// Deterministic: equal scenarios give equal results.
RunResult RunScenario(const Scenario& scenario, const RunOptions& options);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_RUNNER_H_

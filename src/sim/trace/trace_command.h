// `phalanx-sim trace NAME`: a recorded trace under the baseline policies, as a table.
#ifndef PHALANX_SIM_TRACE_TRACE_COMMAND_H_
#define PHALANX_SIM_TRACE_TRACE_COMMAND_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/trace/replay.h"

namespace phalanx::sim {

struct TraceCommand {
  std::string name;  // of the format: "philly"
  std::string file;
  std::vector<std::string> policies;  // empty: all
  ReplaySettings settings;            // but for the policy
  bool json = false;                  // one object a line
};

// Exit status: 0, or 2 with the reasons on `err` and nothing on `out`.
int RunTrace(const TraceCommand& command, std::ostream& out, std::ostream& err);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_TRACE_COMMAND_H_

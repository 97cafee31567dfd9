// Replays the jobs of a trace through the engine of production, with an adapter that does at once
// what it is told: every plan is reserved, prepared and bound in the instant of its admission.
#ifndef PHALANX_SIM_TRACE_ENGINE_REPLAY_H_
#define PHALANX_SIM_TRACE_ENGINE_REPLAY_H_

#include <cstdint>
#include <string>

#include "sim/trace/replay.h"
#include "sim/trace/trace.h"

namespace phalanx::sim {

struct EngineReplay {
  ReplayResult result;  // max_queue: right after the planning of an instant
  int64_t commands = 0;
  int64_t pods = 0;
  // What went wrong, empty if all is well: a job that never started, a member that was sent away.
  std::string error;
};

// A job of at most a node's GPUs is one pod; a larger one is a gang of whole nodes and a pod with
// the rest. `settings.policy` and `locality` mean nothing here: the engine's own order and
// placement hold.
EngineReplay ReplayThroughEngine(const Trace& trace, const ReplaySettings& settings);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_ENGINE_REPLAY_H_

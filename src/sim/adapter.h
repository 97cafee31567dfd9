// The simulated adapter: one connection after the other with the brain, a mirror of the cluster,
// and the scheduler's pipeline.
#ifndef PHALANX_SIM_ADAPTER_H_
#define PHALANX_SIM_ADAPTER_H_

#include "phalanx/outcome.h"
#include "sim/api_server.h"
#include "sim/brain.h"
#include "sim/controllers.h"
#include "sim/mirror.h"
#include "sim/pipeline.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Adapter {
 public:
  Adapter(EventQueue& queue, ApiServer& api, Controllers& controllers, Brain& brain,
          Recorder& recorder, Settings& settings, Faults& faults, Jitter& jitter);

  // Hello, snapshot, what is released, SyncDone.
  void Connect();
  // This process ends and comes back after `down`, at least a second.
  void Restart(Duration down);
  // The brain ends and comes back; meanwhile what waits in a barrier is rejected after a grace.
  void RestartBrain(Duration down);

  // Whether adapter and brain talk to each other.
  bool connected() const { return !down_ && !brain_.down(); }
  Mirror& mirror() { return mirror_; }
  Pipeline& pipeline() { return pipeline_; }

 private:
  void Carry(const Directive& directive);
  void CarryEvict(uint64_t sequence, const Evict& evict);
  void CarryWrite(const Directive& directive);
  void Report(DirectiveResult result);
  void CarryReadJob(uint64_t sequence, const ReadJob& read);

  EventQueue& queue_;
  ApiServer& api_;
  Controllers& controllers_;
  Brain& brain_;
  Mirror mirror_;
  Pipeline pipeline_;
  uint64_t epoch_ = 0;
  bool down_ = false;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_ADAPTER_H_

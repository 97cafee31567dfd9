// The simulated adapter: one connection after the other with the brain, a mirror of the cluster,
// and the scheduler's pipeline.
#ifndef PHALANX_SIM_ADAPTER_H_
#define PHALANX_SIM_ADAPTER_H_

#include "phalanx/outcome.h"
#include "sim/api_server.h"
#include "sim/brain.h"
#include "sim/controllers.h"
#include "sim/link.h"
#include "sim/mirror.h"
#include "sim/pipeline.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Adapter {
 public:
  Adapter(EventQueue& queue, ApiServer& api, Controllers& controllers, Brain& brain, Link& link,
          Recorder& recorder, Settings& settings, Faults& faults, Jitter& jitter);

  // Hello, snapshot, what is released, SyncDone.
  void Connect();
  // Processes end and come back.
  void Restart(const sim::Restart& restart);
  // The stream breaks; the processes live.
  void CutStream();
  // The lease is lost, or held again.
  void SetLeading(bool leads);

  // Whether adapter and brain talk to each other.
  bool connected() const { return streaming_; }
  bool leading() const { return leads_; }
  int64_t epochs() const { return static_cast<int64_t>(epoch_); }
  Mirror& mirror() { return mirror_; }
  Pipeline& pipeline() { return pipeline_; }

 private:
  void EndStream();
  void ConnectAfter(Duration pause);
  void RestartAdapter(Duration down);
  // Meanwhile what waits in a barrier is rejected after a grace.
  void RestartBrain(Duration down);
  // Another pair takes over, while requests of the old one are under way.
  void ChangeLeader(Duration down, Duration slow);
  void Refuse(const Admit& admit);
  void Carry(const Directive& directive);
  void CarryEvict(uint64_t sequence, const Evict& evict);
  void CarryWrite(const Directive& directive);
  void Report(const DirectiveResult& result);
  void CarryReadJob(uint64_t sequence, const ReadJob& read);

  EventQueue& queue_;
  ApiServer& api_;
  Controllers& controllers_;
  Brain& brain_;
  Link& link_;
  Mirror mirror_;
  Pipeline pipeline_;
  uint64_t epoch_ = 0;
  bool down_ = false;
  bool streaming_ = false;
  bool leads_ = true;
  int64_t streams_ = 0;  // that ended
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_ADAPTER_H_

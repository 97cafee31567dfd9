// One simulated cluster with adapter and brain, and the script that happens to it.
#ifndef PHALANX_SIM_WORLD_H_
#define PHALANX_SIM_WORLD_H_

#include <optional>
#include <ostream>
#include <string>

#include "sim/adapter.h"
#include "sim/api_server.h"
#include "sim/brain.h"
#include "sim/controllers.h"
#include "sim/event_queue.h"
#include "sim/recorder.h"
#include "sim/scenario.h"
#include "sim/settings.h"

namespace phalanx::sim {

class World {
 public:
  // REQUIRES: `scenario` outlives the world. Its actions are put into the queue.
  World(const Scenario& scenario, std::ostream* lines, bool answers, Tamper* tamper = nullptr);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  EventQueue& queue() { return queue_; }
  Recorder& recorder() { return recorder_; }
  ApiServer& api() { return api_; }
  Brain& brain() { return brain_; }
  Adapter& adapter() { return adapter_; }
  const Link& link() const { return link_; }
  const Scenario& scenario() const { return scenario_; }

  // The key under which the brain knows a gang or job of the scenario: by the gang label of its
  // newest pod, or the pod itself.
  GangKey KeyOf(const std::string& group) const;
  std::optional<GangView> ViewOf(const std::string& group);

 private:
  void Do(const AddNode& action);
  void Do(const ChangeNode& action);
  void Do(const RemoveNode& action);
  void Do(const CreatePod& action);
  void Do(const DeletePods& action);
  void Do(const DeleteObjects& action);
  void Do(const ServeGangs& action);
  void Do(const RemoveGate& action);
  void Do(const EndPods& action);
  void Do(const ChangePods& action);
  void Do(const SetObject& action);
  void Do(const RemoveObject& action);
  void Do(const AddFault& action);
  void Do(const SetLatency& action);
  void Do(const SetBindOrder& action);
  void Do(const SetBindsInFlight& action);
  void Do(const Restart& action);
  void Do(const SetMessages& action);
  void Do(const CutStream& action);
  void Do(const SetLeading& action);
  void Do(const JumpClock& action);

  const Scenario& scenario_;
  EventQueue queue_;
  Recorder recorder_;
  Settings settings_;
  Faults faults_;
  Jitter jitter_;
  ApiServer api_;
  Brain brain_;
  Link link_;
  Controllers controllers_;
  Adapter adapter_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_WORLD_H_

// Runs the real engine under virtual time: hands it commands, planning slices and ticks, and
// carries its outcomes to the adapter.
#ifndef PHALANX_SIM_BRAIN_H_
#define PHALANX_SIM_BRAIN_H_

#include <functional>
#include <memory>
#include <utility>

#include "phalanx/engine.h"
#include "sim/event_queue.h"
#include "sim/recorder.h"

namespace phalanx::sim {

class Brain {
 public:
  Brain(EventQueue& queue, const EngineConfig& config, Recorder& recorder);

  // Set once, before the first command. Both run at the instant of the outcome; `deliver` after the
  // command that caused it is done.
  void OnDirective(std::function<void(const Directive&)> deliver) { deliver_ = std::move(deliver); }
  // After each command that was applied.
  void AfterCommand(std::function<void(const Command&, const Outcome&)> check) {
    check_ = std::move(check);
  }

  // False if the brain is down: the command is lost.
  template <class Body>
  bool Send(Body body) {
    if (down_) return false;
    Apply(Command{queue_.now(), std::move(body)});
    return true;
  }

  // A crash: all state is lost. Start() makes an empty engine.
  void Stop();
  void Start();
  bool down() const { return down_; }

  Engine& engine() { return *engine_; }
  const EngineConfig& config() const { return config_; }
  int64_t commands() const { return commands_; }

 private:
  void Apply(const Command& command);
  void ScheduleSlice();
  void ScheduleTick();

  EventQueue& queue_;
  EngineConfig config_;
  Recorder& recorder_;
  std::unique_ptr<Engine> engine_;
  std::function<void(const Directive&)> deliver_;
  std::function<void(const Command&, const Outcome&)> check_;
  bool down_ = false;
  uint64_t life_ = 0;  // events of an earlier life do nothing
  bool slice_due_ = false;
  Time tick_at_ = Time::Never();
  int64_t commands_ = 0;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BRAIN_H_

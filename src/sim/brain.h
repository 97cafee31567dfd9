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
#include "sim/tamper.h"

namespace phalanx::sim {

class Brain {
 public:
  // `tamper` may be null.
  Brain(EventQueue& queue, const EngineConfig& config, Recorder& recorder, Tamper* tamper);

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
    Apply(Command{Now(), std::move(body)});
    return true;
  }

  // What the brain should not have listened to: the checks do not hear of it.
  template <class Body>
  void Mislead(Body body) {
    if (!down_) Run(Command{Now(), Tick{}}, Command{Now(), std::move(body)});
  }

  // A crash: all state is lost. Start() makes an empty engine.
  void Stop();
  void Start();
  bool down() const { return down_; }
  // The wall clock of the machine jumps. A process reads it when it starts, and then never again.
  void JumpClock(Duration by) { wall_ = wall_ + by; }
  // How often it was started.
  int64_t lives() const { return lives_; }

  Engine& engine() { return *engine_; }
  const EngineConfig& config() const { return config_; }
  int64_t commands() const { return commands_; }
  const Tamper* tamper() const { return tamper_; }

 private:
  Time Now() const { return queue_.now() + offset_; }
  void Apply(const Command& command);
  void Run(const Command& command, const Command& told);
  void ScheduleSlice();
  void ScheduleTick();

  EventQueue& queue_;
  EngineConfig config_;
  Recorder& recorder_;
  Tamper* tamper_;
  std::unique_ptr<Engine> engine_;
  std::function<void(const Directive&)> deliver_;
  std::function<void(const Command&, const Outcome&)> check_;
  bool down_ = false;
  int64_t lives_ = 0;
  Duration wall_;      // by how much the wall clock is ahead
  Duration offset_;    // and was when this life began
  uint64_t life_ = 0;  // events of an earlier life do nothing
  bool slice_due_ = false;
  Time tick_at_ = Time::Never();
  int64_t commands_ = 0;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BRAIN_H_

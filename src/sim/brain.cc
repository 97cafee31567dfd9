#include "sim/brain.h"

namespace phalanx::sim {
namespace {

// One slice; large worlds need several, so that facts come in between.
constexpr int64_t kSliceWorkUnits = 200'000;

}  // namespace

Brain::Brain(EventQueue& queue, const EngineConfig& config, Recorder& recorder, Tamper* tamper)
    : queue_(queue), config_(config), recorder_(recorder), tamper_(tamper) {
  Start();
}

void Brain::Stop() {
  down_ = true;
  ++life_;
}

void Brain::Start() {
  engine_ = std::make_unique<Engine>(config_);
  recorder_.ForgetAnswers();
  offset_ = wall_;
  down_ = false;
  ++lives_;
  ++life_;
  slice_due_ = false;
  tick_at_ = Time::Never();
}

void Brain::Apply(const Command& command) {
  ++commands_;
  if (!tamper_) return Run(command, command);
  std::vector<Command> told = tamper_->Told(command);
  if (told.empty() && check_) check_(command, {});
  for (const Command& one : told) Run(command, one);
}

void Brain::Run(const Command& command, const Command& told) {
  Outcome outcome = engine_->Apply(told);
  std::vector<Command> more;
  if (tamper_) tamper_->Decided(outcome, more);
  recorder_.Record(queue_.elapsed(), outcome);
  if (check_) check_(command, outcome);
  for (Directive& directive : outcome.directives) {
    queue_.After({}, [this, life = life_, directive = std::move(directive)] {
      if (life == life_) deliver_(directive);
    });
  }
  for (const Command& one : more) Run(Command{Now(), Tick{}}, one);
  ScheduleSlice();
  ScheduleTick();
}

void Brain::ScheduleSlice() {
  if (slice_due_ || !engine_->HasPlanningWork()) return;
  slice_due_ = true;
  queue_.After({}, [this, life = life_] {
    if (life != life_) return;
    slice_due_ = false;
    if (engine_->HasPlanningWork()) Send(PlanSlice{kSliceWorkUnits});
  });
}

void Brain::ScheduleTick() {
  Time due = engine_->NextDeadline();
  if (due == Time::Never()) return;
  due = Time{due.ms - offset_.ms};
  if (due == tick_at_) return;
  tick_at_ = due;
  queue_.BackgroundAt(due, [this, life = life_, due] {
    if (life != life_ || tick_at_ != due) return;
    tick_at_ = Time::Never();
    Send(Tick{});
  });
}

}  // namespace phalanx::sim

#include "sim/checker.h"

#include <utility>

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

// With more pods than this not every command is followed by a full check.
constexpr size_t kSmallWorld = 150;
constexpr size_t kMostViolations = 10;

}  // namespace

Checker::Checker(World& world, std::string only, int64_t sample_every)
    : world_(world), only_(std::move(only)), sample_every_(sample_every) {
  auto spells = std::make_unique<SpellsCheck>(world, booked_);
  spells_ = spells.get();
  checks_.push_back(NewPlacementCheck(world, booked_));
  checks_.push_back(NewWholeStartCheck(world, booked_));
  checks_.push_back(NewOnePlanCheck(world, booked_));
  checks_.push_back(NewBarriersCheck(world, booked_));
  checks_.push_back(NewLeadershipCheck(world, booked_));
  checks_.push_back(NewOvercommitCheck(world, booked_));
  checks_.push_back(NewHoldsCheck(world, booked_));
  checks_.push_back(NewLedgerCheck(world, booked_));
  checks_.push_back(NewContractCheck(world, booked_));
  checks_.push_back(NewInvariantsCheck(world, booked_));
  checks_.push_back(NewReasonsCheck(world, booked_));
  checks_.push_back(NewRollCallCheck(world, booked_));
  checks_.push_back(NewAllOrNothingCheck(world, booked_, *spells_));
  checks_.push_back(std::move(spells));
  for (const auto& check : checks_) world_.api().Watch(check.get());
  world_.brain().AfterCommand(
      [this](const Command& command, const Outcome& outcome) { AfterCommand(command, outcome); });
}

void Checker::AfterCommand(const Command& command, const Outcome& outcome) {
  if (std::exchange(life_, world_.brain().lives()) != world_.brain().lives()) booked_.Clear();
  booked_.Follow(command);
  for (const auto& check : checks_) check->AfterCommand(command, outcome);
  booked_.Follow(outcome);
  const bool rebuilt = std::holds_alternative<SyncDone>(command.body);
  if (rebuilt || world_.brain().commands() % Stride() == 0) Sample();
}

int64_t Checker::Stride() const {
  const size_t pods = booked_.pods().size();
  if (sample_every_ > 0) return sample_every_;
  return pods <= kSmallWorld ? 1 : static_cast<int64_t>(pods / 50);
}

void Checker::Sample() {
  const std::vector<NodeView> nodes = world_.brain().engine().Nodes();
  for (const auto& check : checks_) {
    check->Sample();
    check->SampleNodes(nodes);
  }
}

void Checker::Collect() {
  for (const auto& check : checks_) {
    for (Violation& violation : check->TakeViolations()) {
      if (!only_.empty() && violation.check != only_) continue;
      if (violations_.size() < kMostViolations) violations_.push_back(std::move(violation));
    }
  }
}

void Checker::AfterInstant() {
  for (const auto& check : checks_) check->AfterInstant();
  Collect();
}

void Checker::AtEnd() {
  AfterInstant();
  for (const auto& check : checks_) check->AtEnd();
  Collect();
}

}  // namespace phalanx::sim

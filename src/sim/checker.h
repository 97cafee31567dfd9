// Holds a run to everything in check/: hands each check what happens, and collects what it finds.
#ifndef PHALANX_SIM_CHECKER_H_
#define PHALANX_SIM_CHECKER_H_

#include <memory>
#include <string>
#include <vector>

#include "sim/check/booked.h"
#include "sim/check/check.h"
#include "sim/check/spells.h"
#include "sim/world.h"

namespace phalanx::sim {

class Checker {
 public:
  // With a name in `only`, findings of other checks are left out. What costs O(state) is looked at
  // after every `sample_every` commands; 0: by the size of the world.
  Checker(World& world, std::string only, int64_t sample_every);
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // After all that is due at an instant.
  void AfterInstant();
  void AtEnd();

  bool PartialAtRest(const std::string& group) const { return spells_->PartialAtRest(group); }
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  void AfterCommand(const Command& command, const Outcome& outcome);
  int64_t Stride() const;
  void Sample();
  void Collect();

  World& world_;
  Booked booked_;
  std::vector<std::unique_ptr<Check>> checks_;
  const SpellsCheck* spells_;  // one of them
  std::vector<Violation> violations_;
  std::string only_;
  int64_t sample_every_;
  int64_t life_ = 0;  // of the brain
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECKER_H_

// A deliberate mistake at the engine's boundary, for tests of the checks: what the engine is told
// and what it decides are changed on the way, as if the product were wrong in just that. The checks
// see what was really said and what was really done.
#ifndef PHALANX_SIM_TAMPER_H_
#define PHALANX_SIM_TAMPER_H_

#include <vector>

#include "phalanx/command.h"
#include "phalanx/outcome.h"

namespace phalanx::sim {

class Tamper {
 public:
  Tamper() = default;
  Tamper(const Tamper&) = delete;
  Tamper& operator=(const Tamper&) = delete;
  virtual ~Tamper() = default;

  // What the engine is told in place of the command.
  virtual std::vector<Command> Told(const Command& command) { return {command}; }
  // What it decided; `more` is told to it afterwards, at the same time.
  virtual void Decided(Outcome& /*outcome*/, std::vector<Command>& /*more*/) {}
  // Messages of streams that have ended are taken.
  virtual bool IgnoresEpochs() const { return false; }
  // The scheduler's own plugins agree with everything.
  virtual bool NoFilters() const { return false; }
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TAMPER_H_

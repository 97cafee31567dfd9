// Follows the expectations of a scenario through a run.
#ifndef PHALANX_SIM_EXPECTATIONS_H_
#define PHALANX_SIM_EXPECTATIONS_H_

#include <string>
#include <vector>

#include "sim/checker.h"
#include "sim/scenario.h"
#include "sim/world.h"

namespace phalanx::sim {

struct Failure {
  int line = 0;  // 0: not of a line, but of what must always hold
  Duration at;
  std::string statement;
  std::string expected;
  std::string got;
  std::string state;  // of the gang, in words
};

class Expectations {
 public:
  Expectations(World& world, const Checker& checker);

  // The state of now lasts until just before `next`.
  void AfterInstant(Duration next);
  void AtEnd();
  // No expectation that is still open looks at this time or later; kEnd counts as none.
  Duration LastTime() const;

  const std::vector<Failure>& failures() const { return failures_; }

 private:
  struct Verdict {
    bool holds = true;
    Failure why;  // if it does not
  };
  Verdict Evaluate(const Expectation& expectation);
  Verdict EvaluateOne(const Expectation& expectation, const std::string& name);
  void Look(size_t index);
  void Fail(const Expectation& expectation, Failure why);

  World& world_;
  const Checker& checker_;
  const std::vector<Expectation>& all_;
  std::vector<bool> open_;
  std::vector<Failure> last_;  // of kBy: why it did not hold when last looked at
  std::vector<Failure> failures_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_EXPECTATIONS_H_

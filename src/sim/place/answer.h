// Where Phalanx and the baselines put one gang, and what each placement costs.
#ifndef PHALANX_SIM_PLACE_ANSWER_H_
#define PHALANX_SIM_PLACE_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/verdict.h"
#include "sim/place/cost.h"
#include "sim/place/question.h"

namespace phalanx::sim {

struct RuleAnswer {
  std::string rule;  // "phalanx", "first-fit", "nested-best-fit"
  std::optional<Placement> placement;
  // Of a placement:
  std::vector<std::string> nodes;  // by rank
  Cost cost;
  std::vector<std::string> wrong;        // what the judge finds, in words
  std::optional<Difference> difference;  // of the first rule (a) to this one (b); none: the same
};

struct PlaceAnswer {
  size_t members = 0;             // that were placed or refused: all, or the fewest that may start
  std::vector<RuleAnswer> rules;  // Phalanx, then the baselines
  int64_t work_units = 0;         // of Phalanx
  Reason reason;        // why Phalanx refuses all members; its code is kNone if it does not
  std::string refusal;  // the same in words

  const RuleAnswer& phalanx() const { return rules.front(); }
};

// The engine's own search, as it would be asked: for all members, then for the fewest that may
// start. The baselines are asked for as many as that.
PlaceAnswer AnswerTo(const PlaceQuestion& question);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_ANSWER_H_

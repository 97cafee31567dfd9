// Spread, read from the words of the request: no domain of a role's spread level has more members
// of the role than it may, or fewer than it must.
#ifndef PHALANX_CORE_JUDGE_SPREAD_H_
#define PHALANX_CORE_JUDGE_SPREAD_H_

#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace phalanx::judge {

// What is wrong with how members are spread, in words, where `gang` is placed beside the members
// `bound` of the same gang. "At least" is for the members that start together: looked at if none is
// bound. "Evenly" is a wish and not looked at.
std::vector<std::string> CheckSpread(const World& world, const std::vector<Assignment>& gang,
                                     const std::vector<Assignment>& bound = {});

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_SPREAD_H_

// Exclusive domains, read from the words of the request: no domain of a gang's exclusive level that
// holds members of it holds members of another gang.
#ifndef PHALANX_CORE_JUDGE_EXCLUSIVE_H_
#define PHALANX_CORE_JUDGE_EXCLUSIVE_H_

#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace phalanx::judge {

// What is wrong with placing `gang` beside `others`, members of other gangs that have a place
// already: whether it or one of them shares no domain. Not looked at: who of the others sits with
// whom.
std::vector<std::string> CheckExclusive(const World& world, const std::vector<Assignment>& gang,
                                        const std::vector<Assignment>& others);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_EXCLUSIVE_H_

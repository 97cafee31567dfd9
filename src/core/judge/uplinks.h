// Do uplinks with a hard limit carry no more than that? What gangs send is worked out here once
// more, member by member, from docs/policies/links.md.
#ifndef PHALANX_CORE_JUDGE_UPLINKS_H_
#define PHALANX_CORE_JUDGE_UPLINKS_H_

#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace phalanx::judge {

// What is wrong with placing `gang` beside `others`, who have a place already (members of all
// gangs, of this one as well): an uplink with a hard limit that carries more than before, and more
// than the limit.
std::vector<std::string> CheckUplinks(const World& world, const std::vector<Assignment>& gang,
                                      const std::vector<Assignment>& others);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_UPLINKS_H_

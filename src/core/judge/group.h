// Gangs of one group, read from the words of the request: members of all of them that have a place
// are in one domain of the level that the group requires.
#ifndef PHALANX_CORE_JUDGE_GROUP_H_
#define PHALANX_CORE_JUDGE_GROUP_H_

#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace phalanx::judge {

// What is wrong with placing `gang` where `others` have a place already: members of it, and of
// other gangs, of which those of its group count.
std::vector<std::string> CheckGroup(const World& world, const std::vector<Assignment>& gang,
                                    const std::vector<Assignment>& others);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_GROUP_H_

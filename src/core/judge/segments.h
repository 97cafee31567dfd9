// Segments, read from the words of the request: the members of a role, in rank order, are cut into
// groups of the segment size, and each group lies in one domain of the segment's required level.
#ifndef PHALANX_CORE_JUDGE_SEGMENTS_H_
#define PHALANX_CORE_JUDGE_SEGMENTS_H_

#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace phalanx::judge {

// What is wrong with the segments of a gang that starts, in words. Preferred levels are wishes and
// not looked at. REQUIRES: every member has a rank.
std::vector<std::string> CheckSegments(const World& world, const std::vector<Assignment>& gang);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_SEGMENTS_H_

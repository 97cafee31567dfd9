// What would help a waiting gang, in words.
#ifndef PHALANX_CORE_EXPLAIN_HELP_TEXT_H_
#define PHALANX_CORE_EXPLAIN_HELP_TEXT_H_

#include <string>
#include <string_view>

#include "phalanx/help.h"

namespace phalanx {

// camelCase, stable.
std::string_view HelpName(HelpKind kind);

// "nvlink: best nvl-07 has room for 14 of 16, for 18 when empty; 2 held by team-a/train-3 until
// about 14:20 UTC".
std::string ExplainRoom(const LevelRoom& room);
// "requiring rack instead"; the gang would start now if this were so.
std::string ExplainHelp(const Help& help);

}  // namespace phalanx

#endif  // PHALANX_CORE_EXPLAIN_HELP_TEXT_H_

#include "wire/words.h"

#include <cctype>
#include <string_view>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

// "MembersMissing" as a word of the API: "membersMissing".
std::string CamelBack(std::string_view name) {
  std::string word(name);
  word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  return word;
}

}  // namespace

std::string Name(GangPhase phase) { return CamelBack(PhaseName(phase)); }
std::string Name(ReasonCode code) { return CamelBack(ReasonName(code)); }
std::string Name(ExclusionCause cause) { return CamelBack(ExclusionName(cause)); }

}  // namespace phalanx::wire

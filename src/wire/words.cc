#include "wire/json_view.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/explain/reason_text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

std::string Name(ProvenThrough proven) { return CamelBack(ProvenName(proven)); }

std::string ErrorToJson(int code, const std::string& message) {
  return Dump({{"error", {{"code", code}, {"message", message}}}});
}

}  // namespace phalanx::wire

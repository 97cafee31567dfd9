#include "wire/json_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

// How deep brackets outside of strings are nested. Told before parsing, so that no parser's stack
// depends on what somebody wrote.
size_t DepthOf(std::string_view text) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json ParseObject(std::string_view text, std::optional<Problem>& problem) {
  if (text.size() > kMaxJsonBytes) {
    problem = {"object", fmt::format("{} bytes", text.size()),
               fmt::format("at most {} bytes", kMaxJsonBytes)};
    return nullptr;
  }
  if (const size_t depth = DepthOf(text); depth > kMaxJsonDepth) {
    problem = {"object", fmt::format("{} levels deep", depth),
               fmt::format("at most {} levels", kMaxJsonDepth)};
    return nullptr;
  }
  nlohmann::json object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_object()) return object;
  problem = {"object", Clip(text), "a JSON object"};
  return nullptr;
}

const nlohmann::json* FindField(const nlohmann::json& object,
                                std::initializer_list<const char*> path) {
  const nlohmann::json* at = &object;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    auto it = at->find(key);
    if (it == at->end()) return nullptr;
    at = &*it;
  }
  return at->is_null() ? nullptr : at;
}

std::optional<int64_t> WholeNumber(const nlohmann::json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  return value.get<int64_t>();
}

std::string Show(const nlohmann::json& value) {
  return Clip(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace phalanx::wire

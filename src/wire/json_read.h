// Reading JSON of others: any bytes are safe, nothing throws.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_JSON_READ_H_
#define PHALANX_WIRE_JSON_READ_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "phalanx/objects.h"

namespace phalanx::wire {

// What is deeper is not an object of the API server; what is longer does not fit its storage.
inline constexpr size_t kMaxJsonDepth = 64;
inline constexpr size_t kMaxJsonBytes = size_t{3} << 20;

// `text` as a JSON object. What is wrong with it is put into `problem`; the result is then null.
nlohmann::json ParseObject(std::string_view text, std::optional<Problem>& problem);

// The value under these keys, one in the other; nullptr if it is absent or null.
const nlohmann::json* FindField(const nlohmann::json& object,
                                std::initializer_list<const char*> path);

// A whole number that is written as one: 4, but not "4", 4.0 or true.
std::optional<int64_t> WholeNumber(const nlohmann::json& value);

// The value as it was written, clipped.
std::string Show(const nlohmann::json& value);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_JSON_READ_H_

// Reading numbers and names out of text, and quoting text of others in messages.
#ifndef PHALANX_WIRE_TEXT_H_
#define PHALANX_WIRE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx::wire {

// A whole decimal number with an optional sign and nothing else around it.
std::optional<int64_t> ParseInt(std::string_view text);
std::optional<uint64_t> ParseUint(std::string_view text);

// Thousandths of a decimal number without a sign and with at most three digits behind its dot.
std::optional<int64_t> ParseThousandths(std::string_view text);
// A whole number with one of k, M, G, T, Ki, Mi, Gi and Ti behind it, or none. nullopt also beyond
// 2^63.
std::optional<int64_t> ParseQuantity(std::string_view text);

// By the rule of Kubernetes for label values: at most 63 of [A-Za-z0-9._-], first and last one
// alphanumeric. Not empty.
bool IsLabelValue(std::string_view text);
// A label key or a level's name: [PREFIX/]NAME, NAME as above, at most 253 + 1 + 63 characters.
bool IsLabelKey(std::string_view text);

// At most `limit` bytes, cut at a character of UTF-8 and marked with "..." when cut.
std::string Clip(std::string_view text, size_t limit = 128);

// Whether `name` equals one of `patterns`; a trailing "*" of a pattern matches any rest.
bool MatchesAny(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_TEXT_H_

#include "wire/text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace phalanx::wire {
namespace {

bool IsAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <class Int>
std::optional<Int> ParseWhole(std::string_view text) {
  Int value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty()) return std::nullopt;
  return value;
}

bool IsDnsPrefix(std::string_view text) {
  return !text.empty() && text.size() <= 253 && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsAlnum(c) || c == '-' || c == '.'; });
}

}  // namespace

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return ParseWhole<int64_t>(text);
}

std::optional<uint64_t> ParseUint(std::string_view text) { return ParseWhole<uint64_t>(text); }

std::optional<int64_t> ParseThousandths(std::string_view text) {
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  std::string_view rest = dot == std::string_view::npos ? "0" : text.substr(dot + 1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(whole) || whole.size() > 12 || !digits(rest) || rest.size() > 3) return std::nullopt;
  int64_t value = *ParseInt(whole) * 1000;
  int64_t weight = 100;
  for (const char digit : rest) {
    value += (digit - '0') * weight;
    weight /= 10;
  }
  return value;
}

std::optional<int64_t> ParseQuantity(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<int64_t> number = ParseInt(text.substr(0, digits));
  const std::string_view suffix = text.substr(digits);
  if (!number || suffix.empty()) return number;
  const bool binary = suffix.size() == 2 && suffix[1] == 'i';
  if (suffix.size() > 1 && !binary) return std::nullopt;
  const size_t power = std::string_view(binary ? "KMGT" : "kMGT").find(suffix[0]);
  if (power == std::string_view::npos) return std::nullopt;
  int64_t value = *number;
  for (size_t i = 0; i <= power; ++i) {
    const int64_t step = binary ? 1024 : 1000;
    if (value > std::numeric_limits<int64_t>::max() / step) return std::nullopt;
    value *= step;
  }
  return value;
}

bool IsLabelValue(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!IsAlnum(text.front()) || !IsAlnum(text.back())) return false;
  return std::ranges::all_of(text,
                             [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsLabelKey(std::string_view text) {
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelValue(text);
  return IsDnsPrefix(text.substr(0, slash)) && IsLabelValue(text.substr(slash + 1));
}

std::string Clip(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [name](const std::string& pattern) {
    if (!pattern.empty() && pattern.back() == '*') {
      return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
    }
    return name == pattern;
  });
}

}  // namespace phalanx::wire

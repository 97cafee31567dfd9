#include "sim/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>

#include "phalanx/objects.h"

namespace phalanx::sim {
namespace {

constexpr int64_t kMaxExpansion = 200'000;
constexpr int64_t kMaxDurationMs = int64_t{10} * 365 * 24 * 3600 * 1000;

struct OpName {
  std::string_view text;
  CompareOp op;
};
// Longer operators first, so that "<=" is not read as "<".
constexpr std::array<OpName, 7> kOps = {{{"<=", CompareOp::kLessEqual},
                                         {">=", CompareOp::kMoreEqual},
                                         {"!=", CompareOp::kNotEqual},
                                         {"=", CompareOp::kEqual},
                                         {"~", CompareOp::kContains},
                                         {"<", CompareOp::kLess},
                                         {">", CompareOp::kMore}}};

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The end of the word that starts at `i`: the next space outside quotes and brackets.
std::optional<size_t> WordEnd(std::string_view line, size_t i, std::string* error) {
  bool quoted = false;
  int depth = 0;
  for (; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (IsSpace(c) && depth <= 0) return i;
  }
  if (quoted) *error = "a quote is not closed";
  if (!quoted && depth > 0) *error = "a bracket is not closed";
  if (quoted || depth > 0) return std::nullopt;
  return i;
}

std::string WithoutQuotes(std::string_view text) {
  std::string out(text);
  std::erase(out, '"');
  return out;
}

Word MakeWord(std::string_view text) {
  size_t at = text.find_first_of("=~<>!\"");
  for (const OpName& op : kOps) {
    if (at == std::string_view::npos || !text.substr(at).starts_with(op.text)) continue;
    std::string_view value = text.substr(at + op.text.size());
    Word word{.key = std::string(text.substr(0, at)), .op = op.op};
    word.list = value.size() >= 2 && value.front() == '[' && value.back() == ']';
    if (word.list) value = value.substr(1, value.size() - 2);
    word.value = WithoutQuotes(value);
    return word;
  }
  return Word{.key = WithoutQuotes(text)};
}

struct IndexRange {
  int64_t first = 0;
  int64_t last = 0;
  size_t width = 0;  // of zero-padded indexes
};

std::optional<IndexRange> ReadRange(std::string_view text) {
  size_t dash = text.find('-');
  std::string_view first = text.substr(0, dash);
  std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  std::optional<int64_t> a = ReadInteger(first);
  std::optional<int64_t> b = ReadInteger(last);
  if (!a || !b || *a < 0 || *b < *a || *b - *a >= kMaxExpansion) return std::nullopt;
  return IndexRange{*a, *b, first.size() > 1 && first[0] == '0' ? first.size() : 0};
}

struct Bracketed {
  std::string before;
  std::vector<IndexRange> ranges;
  std::string after;
};

std::optional<Bracketed> ReadBracketed(std::string_view text) {
  size_t open = text.find('[');
  if (open == std::string_view::npos) return Bracketed{std::string(text), {}, ""};
  size_t close = text.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  Bracketed out{std::string(text.substr(0, open)), {}, std::string(text.substr(close + 1))};
  if (out.after.find_first_of("[]") != std::string::npos) return std::nullopt;
  std::string_view inside = text.substr(open + 1, close - open - 1);
  while (true) {
    size_t comma = inside.find(',');
    std::optional<IndexRange> range = ReadRange(inside.substr(0, comma));
    if (!range) return std::nullopt;
    out.ranges.push_back(*range);
    if (comma == std::string_view::npos) return out;
    inside.remove_prefix(comma + 1);
  }
}

struct Unit {
  std::string_view suffix;
  int64_t factor;
};

std::optional<int64_t> Scaled(std::string_view number, int64_t factor) {
  std::optional<int64_t> n = ReadInteger(number);
  if (!n || *n < 0 || (factor > 0 && *n > kMaxQuantity / factor)) return std::nullopt;
  return *n * factor;
}

std::optional<int64_t> ReadBytes(std::string_view text) {
  constexpr std::array<Unit, 8> kUnits = {{{"Ki", int64_t{1} << 10},
                                           {"Mi", int64_t{1} << 20},
                                           {"Gi", int64_t{1} << 30},
                                           {"Ti", int64_t{1} << 40},
                                           {"k", 1'000},
                                           {"M", 1'000'000},
                                           {"G", 1'000'000'000},
                                           {"T", 1'000'000'000'000}}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    return Scaled(text.substr(0, text.size() - unit.suffix.size()), unit.factor);
  }
  return Scaled(text, 1);
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view OpText(CompareOp op) {
  for (const OpName& name : kOps) {
    if (name.op == op) return name.text;
  }
  return "";
}

std::string Word::Text() const {
  if (op == CompareOp::kNone) return key;
  return fmt::format("{}{}{}{}{}", key, OpText(op), list ? "[" : "", value, list ? "]" : "");
}

std::optional<std::vector<Word>> SplitWords(std::string_view line, std::string* error) {
  std::vector<Word> words;
  size_t i = 0;
  while (true) {
    while (i < line.size() && IsSpace(line[i])) ++i;
    if (i == line.size() || line[i] == '#') return words;
    std::optional<size_t> end = WordEnd(line, i, error);
    if (!end) return std::nullopt;
    words.push_back(MakeWord(line.substr(i, *end - i)));
    i = *end;
  }
}

std::optional<std::vector<std::string>> ExpandName(std::string_view text) {
  std::optional<Bracketed> parts = ReadBracketed(text);
  if (!parts) return std::nullopt;
  if (parts->ranges.empty()) return std::vector<std::string>{parts->before};
  std::vector<std::string> names;
  for (const IndexRange& range : parts->ranges) {
    for (int64_t i = range.first; i <= range.last; ++i) {
      names.push_back(fmt::format("{}{:0{}}{}", parts->before, i, range.width, parts->after));
    }
  }
  return names;
}

std::optional<IndexedName> ReadIndexedName(std::string_view text) {
  std::optional<Bracketed> parts = ReadBracketed(text);
  if (!parts || !parts->after.empty()) return std::nullopt;
  IndexedName out{parts->before, {}};
  for (const IndexRange& range : parts->ranges) {
    for (int64_t i = range.first; i <= range.last; ++i) out.indexes.push_back(i);
  }
  return out;
}

std::optional<std::vector<std::string>> ReadNameList(std::string_view text) {
  std::vector<std::string> names;
  std::string item;
  int depth = 0;
  auto flush = [&] {
    if (item.empty()) return true;
    std::optional<std::vector<std::string>> expanded = ExpandName(item);
    item.clear();
    if (!expanded) return false;
    names.insert(names.end(), expanded->begin(), expanded->end());
    return true;
  };
  for (char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    bool separator = depth == 0 && (c == ',' || IsSpace(c));
    if (!separator) item += c;
    if (separator && !flush()) return std::nullopt;
  }
  if (!flush()) return std::nullopt;
  return names;
}

std::optional<int64_t> ReadInteger(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, value);
  if (text.empty() || code != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<Duration> ReadDuration(std::string_view text) {
  constexpr std::array<Unit, 5> kUnits = {
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;
  int64_t total = 0;
  while (!text.empty()) {
    size_t digits = 0;
    while (digits < text.size() && IsDigit(text[digits])) ++digits;
    std::optional<int64_t> number = ReadInteger(text.substr(0, digits));
    text.remove_prefix(digits);
    auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) {
      return text.starts_with(u.suffix) && !(u.suffix == "m" && text.starts_with("ms"));
    });
    if (!number || unit == kUnits.end() || *number > kMaxDurationMs / unit->factor) {
      return std::nullopt;
    }
    total += *number * unit->factor;
    if (total > kMaxDurationMs) return std::nullopt;
    text.remove_prefix(unit->suffix.size());
  }
  return Duration{total};
}

std::optional<int64_t> ReadQuantity(std::string_view resource, std::string_view text) {
  if (resource == "cpu") {
    if (text.ends_with('m')) return Scaled(text.substr(0, text.size() - 1), 1);
    return Scaled(text, 1000);
  }
  if (resource == "memory" || resource == "ephemeral-storage" ||
      resource.starts_with("hugepages-")) {
    return ReadBytes(text);
  }
  return Scaled(text, 1);
}

std::string DurationText(Duration d) {
  if (d.ms == 0) return "0s";
  std::string out = d.ms < 0 ? "-" : "";
  int64_t left = d.ms < 0 ? -d.ms : d.ms;
  constexpr std::array<Unit, 4> kUnits = {
      {{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
  for (const Unit& unit : kUnits) {
    if (left >= unit.factor) out += fmt::format("{}{}", left / unit.factor, unit.suffix);
    left %= unit.factor;
  }
  return out;
}

std::string Nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace phalanx::sim

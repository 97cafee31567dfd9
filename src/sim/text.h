// The words of a scenario line: `key=value` attributes, bare words, ranges, times and quantities.
//
// Every reader returns nullopt for text that it does not take; the caller says what was expected.
#ifndef PHALANX_SIM_TEXT_H_
#define PHALANX_SIM_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "phalanx/time.h"

namespace phalanx::sim {

enum class CompareOp { kNone, kEqual, kNotEqual, kContains, kLess, kLessEqual, kMore, kMoreEqual };

// `reason~"no room"`: key reason, op ~, value `no room`. A bare word has op kNone and no value.
struct Word {
  std::string key;
  CompareOp op = CompareOp::kNone;
  std::string value = {};
  bool list = false;  // written in brackets: [n1 n2]

  // As it was written, but for quotes.
  std::string Text() const;
};

std::string_view OpText(CompareOp op);

// Words of one line without its comment. `#` starts a comment at the start of a word. nullopt and a
// message in `error` if a quote or bracket is not closed.
std::optional<std::vector<Word>> SplitWords(std::string_view line, std::string* error);

// "n[1-3]" -> n1 n2 n3; "n[01-03]" -> n01 n02 n03; "a[2,5-6]" -> a2 a5 a6; "x" -> x. At most
// 200,000.
std::optional<std::vector<std::string>> ExpandName(std::string_view text);

// The indexes of "a[2,5-6]" and the name before them; {} for a name without brackets.
struct IndexedName {
  std::string name;
  std::vector<int64_t> indexes;
};
std::optional<IndexedName> ReadIndexedName(std::string_view text);

// Elements of "n1 n2,n3" (what a list holds), each expanded.
std::optional<std::vector<std::string>> ReadNameList(std::string_view text);

std::optional<int64_t> ReadInteger(std::string_view text);

// "1h30m", "90s", "200ms", "0". Not negative.
std::optional<Duration> ReadDuration(std::string_view text);

// Quantity of a resource in the units of phalanx/objects.h: "500m" or "32" cores for cpu; "512Gi"
// or bytes for memory and storage; whole units otherwise. 0 to kMaxQuantity.
std::optional<int64_t> ReadQuantity(std::string_view resource, std::string_view text);

// "1m30s", for messages.
std::string DurationText(Duration d);

// The candidate that `word` may have meant, "" if none is near.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TEXT_H_

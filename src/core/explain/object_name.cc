#include "core/explain/object_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/hash.h"

namespace phalanx {
namespace {

constexpr size_t kLongest = 253;
constexpr size_t kKept = 180;  // of a name that is too long

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Lower-case labels of letters, digits and inner dashes, with dots in between.
bool IsSubdomain(std::string_view name) {
  bool at_edge = true;  // the last character began a label, or none did
  for (size_t i = 0; i < name.size(); ++i) {
    const bool last = i + 1 == name.size() || name[i + 1] == '.';
    const bool edge = at_edge || last;
    if (name[i] == '.' && at_edge) return false;
    if (name[i] != '.' && !IsAlphanumeric(name[i]) && (edge || name[i] != '-')) return false;
    at_edge = name[i] == '.';
  }
  return !name.empty() && !at_edge;
}

std::string Escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (IsAlphanumeric(c) && c != 'x') {
      out += c;
    } else {
      out += fmt::format("x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

std::string ObjectName(const GangKey& gang) {
  const std::string_view name = gang.name;
  const bool plain = IsSubdomain(name) && !name.ends_with(".x") && !name.ends_with(".h");
  std::string out = plain ? gang.name : Escape(name) + ".x";
  if (out.size() + 1 + gang.source.size() > kLongest) {
    const std::string start = Escape(name.substr(0, kKept / 3));
    const uint64_t one = Hash().Add(name).Done();
    out = fmt::format("{}.{:016x}{:016x}.h", start, one, Hash().Add(one).Add(name).Done());
  }
  return out + "." + gang.source;
}

}  // namespace phalanx

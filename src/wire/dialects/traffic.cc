#include "wire/dialects/traffic.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr std::pair<std::string_view, int32_t Traffic::*> kPatterns[] = {
    {"dp", &Traffic::dp},
    {"tp", &Traffic::tp},
    {"pp", &Traffic::pp},
    {"ep", &Traffic::ep},
    {"all-to-all", &Traffic::all_to_all}};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "dp:2.5"; false if it is no such thing, or the pattern was there before.
bool ReadOne(std::string_view text, Traffic& traffic) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::optional<int64_t> rate = ParseThousandths(text.substr(colon + 1));
  if (!rate || *rate == 0 || *rate > kMaxTrafficMBps) return false;
  for (const auto& [name, field] : kPatterns) {
    if (name != text.substr(0, colon)) continue;
    if (traffic.*field != 0) return false;
    traffic.*field = static_cast<int32_t>(*rate);
    return true;
  }
  return false;
}

std::optional<Traffic> Parse(std::string_view text) {
  Traffic traffic;
  while (true) {
    const size_t comma = text.find(',');
    if (!ReadOne(Trimmed(text.substr(0, comma)), traffic)) return std::nullopt;
    if (comma == std::string_view::npos) return traffic;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void ReadTraffic(const LabelMap& annotations, Membership& out) {
  const auto found = annotations.find(kTrafficAnnotation);
  if (found == annotations.end()) return;
  if (const std::optional<Traffic> traffic = Parse(found->second)) {
    out.traffic = *traffic;
    return;
  }
  out.problems.push_back(
      {fmt::format("metadata.annotations[{}]", kTrafficAnnotation), Clip(found->second),
       fmt::format("PATTERN:GB/s of each member, patterns dp, tp, pp, ep or all-to-all, each once, "
                   "from 0.001 to {} GB/s, such as \"dp:2.5,tp:40\"",
                   kMaxTrafficMBps / 1000)});
}

}  // namespace phalanx::wire

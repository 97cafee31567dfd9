#include "wire/dialects/self_rules.h"

#include <algorithm>
#include <string>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

// "job-name=train,tier in (a,b)" of the gang "train": "job-name=$gang,tier in (a,b)". Gangs that
// differ in their names only ask for the same; '$' is in no label.
std::string WithoutName(const std::string& selector, const std::string& gang) {
  constexpr char kBetween[] = "=!,() ";
  std::string out;
  for (size_t at = 0; at < selector.size();) {
    const size_t end = std::min(selector.find_first_of(kBetween, at), selector.size());
    const std::string word = selector.substr(at, end - at);
    out += word == gang ? "$gang" : word;
    at = end;
    if (at < selector.size()) out += selector[at++];
  }
  return out;
}

// Hosts first: they are in every topology.
bool Before(const SelfRule& a, const SelfRule& b) {
  const auto coarse = [](const SelfRule& rule) { return rule.key != "kubernetes.io/hostname"; };
  if (a.kind != b.kind) return a.kind < b.kind;
  if (coarse(a) != coarse(b)) return coarse(b);
  return a < b;
}

}  // namespace

void ReadSelfRules(std::span<const SelfRule> rules, Membership& out) {
  if (rules.empty() || (out.size == 1 && !out.sized_by_object)) return;
  std::vector<SelfRule> sorted(rules.begin(), rules.end());
  std::sort(sorted.begin(), sorted.end(), Before);
  const bool free = out.spread.level.empty() && out.segment.size == 1;
  for (const SelfRule& rule : sorted) {
    if (!IsLabelKey(rule.key)) continue;
    const std::string whom = WithoutName(rule.selector, out.gang.name);
    if (rule.kind == SelfRuleKind::kTogether) {
      if (out.together.level.empty()) out.together = {rule.key, whom};
    } else if (free && out.spread.level.empty()) {
      const bool apart = rule.kind == SelfRuleKind::kApart;
      out.spread = {.level = rule.key,
                    .at_most = apart ? 1 : std::clamp(rule.max_skew, 1, kMaxGangSize),
                    .by = apart ? SpreadBy::kApart : SpreadBy::kSkew,
                    .whom = whom};
    }
  }
}

}  // namespace phalanx::wire

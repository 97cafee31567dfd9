#include "core/explain/placement_text.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace phalanx {
namespace {

constexpr size_t kDomainsShown = 8;

// Members by the first host of their domain, so that domains are in the order of the fabric.
using Counts = std::map<HostId, int64_t>;

std::string RuleText(const Spread& spread) {
  if (spread.by == SpreadBy::kApart) return "by anti-affinity over " + spread.level;
  if (spread.by == SpreadBy::kSkew) return "by a spread constraint over " + spread.level;
  if (spread.evenly) return "evenly over " + spread.level;
  std::string text;
  if (spread.at_least > 1) text = fmt::format("at least {}", spread.at_least);
  if (spread.at_most > 0) {
    text += fmt::format("{}at most {}", text.empty() ? "" : " and ", spread.at_most);
  }
  return fmt::format("{} in one {}", text, spread.level);
}

// "6 + 6"; "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ... in 40"
std::string CountsText(const Counts& counts) {
  std::string text;
  size_t shown = 0;
  for (const auto& [first, members] : counts) {
    if (shown == kDomainsShown) return text + fmt::format(" + ... in {}", counts.size());
    text += fmt::format("{}{}", shown++ == 0 ? "" : " + ", members);
  }
  return text;
}

HostId FirstOf(const Topology& topology, HostId host, LevelId level) {
  if (level == topology.host_level()) return host;
  const DomainId domain = topology.DomainAt(host, level);
  return domain.valid() ? topology.domain(domain).first_host : host;
}

}  // namespace

std::string PlacementText(const Topology& topology, std::span<const PlacedMember> members) {
  using Role = std::pair<std::string, Spread>;
  std::map<Role, Counts> roles;
  for (const PlacedMember& member : members) {
    const HostId host = topology.HostOf(member.node);
    if (!host.valid()) continue;
    const LevelId level = topology.FindLevel(member.says->spread.level);
    // A level that is not there spreads nobody.
    const Spread& spread = level.valid() ? member.says->spread : Spread();
    const HostId first = level.valid() ? FirstOf(topology, host, level) : HostId(0);
    ++roles[{member.says->role, spread}][first];
  }
  std::string text;
  for (const auto& [role, counts] : roles) {
    const auto& [name, spread] = role;
    if (!text.empty()) text += "; ";
    if (roles.size() > 1) text += (name.empty() ? "worker" : name) + ": ";
    if (spread.level.empty()) {
      text += "packed";
    } else {
      text += fmt::format("{} ({}: {})", spread.evenly ? "balanced" : "spread", RuleText(spread),
                          CountsText(counts));
    }
  }
  return text;
}

}  // namespace phalanx

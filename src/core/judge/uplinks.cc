#include "core/judge/uplinks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/judge/levels.h"
#include "core/judge/places.h"

namespace phalanx::judge {
namespace {

// Members that talk to each other: of one gang, with the same traffic and segments.
using Talk = std::tuple<GangKey, Traffic, Segment>;
using Nodes = std::vector<std::string>;

std::map<Talk, Nodes> TalksOf(const std::vector<Assignment>& members) {
  std::map<Talk, Nodes> talks;
  for (const Assignment& member : members) {
    if (!member.pod.membership || member.pod.membership->traffic == Traffic()) continue;
    const Membership& says = *member.pod.membership;
    talks[{says.gang, says.traffic, says.segment}].push_back(member.node);
  }
  return talks;
}

// One level with a hard limit, and the domains of nodes there.
class LimitedLevel {
 public:
  LimitedLevel(const Places& places, const std::vector<std::string>& names, std::string level)
      : places_(places), names_(names), level_(std::move(level)) {}

  using Loads = std::map<Places::Domain, int64_t>;

  Loads LoadsOf(const std::map<Talk, Nodes>& talks) const {
    Loads loads;
    for (const auto& [talk, nodes] : talks) {
      std::map<Places::Domain, int64_t> inside;
      for (const std::string& node : nodes) {
        const auto domain = places_.DomainOf(node, level_);
        if (domain) ++inside[*domain];
      }
      for (const auto& [domain, count] : inside) {
        loads[domain] += Sent(std::get<Traffic>(talk), std::get<Segment>(talk), count,
                              static_cast<int64_t>(nodes.size()));
      }
    }
    return loads;
  }

 private:
  int64_t Sent(const Traffic& traffic, const Segment& segment, int64_t in, int64_t all) const {
    const int64_t out = all - in;
    if (out == 0) return 0;
    int64_t tp = std::min(in, out);
    if (segment.size > 1 && StaysWhole(segment)) {
      const int64_t part = in % segment.size;
      tp = std::min({tp, part, segment.size - part});
    }
    const int64_t pairs = (int64_t{traffic.ep} + traffic.all_to_all) * in * out;
    const int64_t spread = pairs / (all - 1) + (pairs % (all - 1) != 0 ? 1 : 0);
    return traffic.dp + traffic.pp + spread + traffic.tp * tp;
  }

  // Segments lie in one domain of a level that is as fine as this one, or finer.
  bool StaysWhole(const Segment& segment) const {
    if (segment.required_level.empty()) return false;
    if (segment.required_level == "host" || segment.required_level == "kubernetes.io/hostname") {
      return true;
    }
    const std::optional<std::string> required = places_.NameOf(segment.required_level);
    if (!required) return false;
    return std::find(names_.begin(), names_.end(), level_) <=
           std::find(names_.begin(), names_.end(), *required);
  }

  const Places& places_;
  const std::vector<std::string>& names_;  // of levels, coarse to fine
  const std::string level_;
};

}  // namespace

std::vector<std::string> CheckUplinks(const World& world, const std::vector<Assignment>& gang,
                                      const std::vector<Assignment>& others) {
  std::vector<std::string> wrong;
  if (TalksOf(gang).empty()) return wrong;
  std::vector<Assignment> all = others;
  all.insert(all.end(), gang.begin(), gang.end());
  const Places places(world);
  const std::vector<std::string> names = places.LevelNames();
  for (const std::string& level : names) {
    const Uplink uplink = places.UplinkOf(level);
    if (uplink.mbps == 0 || !uplink.hard) continue;
    const LimitedLevel limited(places, names, level);
    const auto before = limited.LoadsOf(TalksOf(others));
    for (const auto& [domain, after] : limited.LoadsOf(TalksOf(all))) {
      const auto then = before.find(domain);
      const int64_t was = then == before.end() ? 0 : then->second;
      if (after <= uplink.mbps || after <= was) continue;
      wrong.push_back(fmt::format("the uplink of {} {} would carry {} MB/s, its limit is {}", level,
                                  fmt::join(domain, "/"), after, uplink.mbps));
    }
  }
  return wrong;
}

}  // namespace phalanx::judge

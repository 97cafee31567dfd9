#include "oracle/brute_force.h"

#include <algorithm>
#include <numeric>

#include "oracle/hosts.h"

namespace phalanx::oracle {
namespace {

using Domains = std::vector<std::vector<size_t>>;

// Every way to place the roles, each given by the members on each host. Keeps the best one.
class Every {
 public:
  // `segments` by role: domains that must take whole segments; empty: members need not be in
  // segments. `order`: of the roles, for ties.
  Every(const SmallWorld& world, std::vector<std::vector<Domains>> segments,
        std::vector<size_t> order)
      : hosts_(HostsInOrder(world)),
        roles_(world.roles),
        segments_(std::move(segments)),
        order_(std::move(order)),
        counts_(roles_.size(), std::vector<int32_t>(hosts_.size(), 0)) {
    for (const Role& role : roles_) {
      spread_.push_back(DomainsOf(world, hosts_, role.spread.level));
    }
    for (const auto& domain : DomainsOf(world, hosts_, world.required)) {
      Try(domain, 0, 0, roles_.front().count);
    }
  }

  std::optional<BestPlacement> Best() const {
    if (best_.empty()) return std::nullopt;
    BestPlacement out{best_touched_, {}};
    for (size_t host = 0; host < hosts_.size(); ++host) {
      std::vector<int32_t> here;
      for (const auto& counts : best_) here.push_back(counts[host]);
      const bool used = std::any_of(here.begin(), here.end(), [](int32_t n) { return n > 0; });
      if (used) out.members[hosts_[host].name] = std::move(here);
    }
    return out;
  }

 private:
  void Try(const std::vector<size_t>& domain, size_t role, size_t at, int32_t left) {
    if (left == 0) return NextRole(domain, role);
    if (at == domain.size()) return;
    Host& host = hosts_[domain[at]];
    int32_t& count = counts_[role][domain[at]];
    Try(domain, role, at + 1, left);
    while (count < left && Takes(host, roles_[role])) {
      ++count;
      Try(domain, role, at + 1, left - count);
    }
    for (; count > 0; --count) GiveBack(host, roles_[role]);
  }

  void NextRole(const std::vector<size_t>& domain, size_t role) {
    for (const Domains& whole : segments_[role]) {
      if (!InWholeSegments(whole, counts_[role], roles_[role].segment.size)) return;
    }
    if (!KeepsSpread(spread_[role], role)) return;
    if (role + 1 == roles_.size()) return Compare();
    Try(domain, role + 1, 0, roles_[role + 1].count);
  }

  bool KeepsSpread(const Domains& domains, size_t role) const {
    const Spread& spread = roles_[role].spread;
    return spread.level.empty() || oracle::KeepsSpread(domains, counts_[role], spread);
  }

  void Compare() {
    std::vector<int32_t> used(hosts_.size(), 0);
    for (const auto& counts : counts_) {
      for (size_t host = 0; host < used.size(); ++host) used[host] |= counts[host] > 0 ? 1 : 0;
    }
    auto [entry, is_new] = touched_.try_emplace(used);
    if (is_new) entry->second = TouchedBy(hosts_, used);
    const std::vector<int32_t>& touched = entry->second;
    const bool better =
        best_.empty() || touched < best_touched_ ||
        (touched == best_touched_ && FirstIsBetter(hosts_, InOrder(counts_), InOrder(best_)));
    if (!better) return;
    best_ = counts_;
    best_touched_ = touched;
  }

  RoleCounts InOrder(const RoleCounts& counts) const {
    RoleCounts out;
    for (const size_t role : order_) out.push_back(counts[role]);
    return out;
  }

  std::vector<Host> hosts_;
  const std::vector<Role>& roles_;
  const std::vector<std::vector<Domains>> segments_;
  std::vector<Domains> spread_;  // by role
  const std::vector<size_t> order_;
  RoleCounts counts_;
  std::map<std::vector<int32_t>, std::vector<int32_t>> touched_;  // by the hosts that are used
  RoleCounts best_;
  std::vector<int32_t> best_touched_;
};

// Where the segments may lie, best first: the preferred level, the next coarser ones, down to the
// required one; at the end anywhere (""), unless a level is required.
std::vector<std::string> SegmentLevels(const SmallWorld& world, const std::vector<Host>& hosts,
                                       const Segment& segment) {
  if (segment.size == 1) return {""};
  std::vector<std::string> fine_to_coarse = {"host"};
  for (size_t level = world.levels.size(); level-- > 0;) {
    if (LevelExists(hosts, level)) fine_to_coarse.push_back(world.levels[level].name);
  }
  const auto at = [&](const std::string& name) {
    return std::find(fine_to_coarse.begin(), fine_to_coarse.end(), name) - fine_to_coarse.begin();
  };
  const auto known = std::ssize(fine_to_coarse);
  std::vector<std::string> out;
  if (!segment.required_level.empty()) {
    for (auto i = at(segment.preferred_level); i < at(segment.required_level); ++i) {
      if (i < known) out.push_back(fine_to_coarse[static_cast<size_t>(i)]);
    }
    if (at(segment.required_level) == known) return {};  // no node has it
    out.push_back(segment.required_level);
    return out;
  }
  for (auto i = at(segment.preferred_level); i < known; ++i) {
    out.push_back(fine_to_coarse[static_cast<size_t>(i)]);
  }
  out.push_back("");
  return out;
}

bool Divides(const Role& role) { return role.count % role.segment.size == 0; }

}  // namespace

std::optional<BestPlacement> BruteForceOneRole(const SmallWorld& world) {
  const Role& role = world.roles.front();
  if (!Divides(role)) return std::nullopt;
  const std::vector<Host> hosts = HostsInOrder(world);
  for (const std::string& level : SegmentLevels(world, hosts, role.segment)) {
    std::vector<std::vector<Domains>> segments(1);
    for (const std::string* name : {&level, &role.segment.required_level}) {
      if (role.segment.size == 1 || name->empty()) continue;
      segments[0].push_back(PartsOf(world, hosts, *name));
    }
    const std::vector<size_t> order(1, 0);
    if (auto best = Every(world, std::move(segments), order).Best()) return best;
  }
  return std::nullopt;
}

std::optional<BestPlacement> BruteForceRoles(const SmallWorld& world,
                                             std::optional<size_t> preferring) {
  if (!std::all_of(world.roles.begin(), world.roles.end(), Divides)) return std::nullopt;
  const std::vector<Host> hosts = HostsInOrder(world);
  std::vector<std::vector<Domains>> segments;
  for (const Role& role : world.roles) {
    segments.emplace_back();
    if (role.segment.size == 1 || role.segment.required_level.empty()) continue;
    segments.back().push_back(PartsOf(world, hosts, role.segment.required_level));
  }
  std::vector<size_t> order(world.roles.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return world.roles[a].count > world.roles[b].count; });
  if (!preferring) return Every(world, std::move(segments), std::move(order)).Best();
  for (const std::string& level : SegmentLevels(world, hosts, world.roles[*preferring].segment)) {
    std::vector<std::vector<Domains>> here = segments;
    if (!level.empty()) here[*preferring].push_back(PartsOf(world, hosts, level));
    if (auto best = Every(world, std::move(here), order).Best()) return best;
  }
  return std::nullopt;
}

}  // namespace phalanx::oracle

#include "oracle/brute_force.h"

#include <algorithm>
#include <array>
#include <set>

namespace phalanx::oracle {
namespace {

// A host as the specification sees it.
struct Host {
  std::string name;
  std::array<std::string, kLevels> values;  // "" = lacks the level
  QuantityMap free;
  const NodeObject* node;
};

std::string Value(const NodeObject& node, size_t level) {
  const auto it = node.labels.find(kLevelKeys[level]);
  return it == node.labels.end() ? "" : it->second;
}

// Depth first: by values, coarse first, missing ones last; then by name.
std::vector<Host> HostsInOrder(const SmallWorld& world) {
  std::vector<Host> hosts;
  for (const NodeObject& node : world.nodes) {
    Host host{node.name, {}, node.allocatable, &node};
    for (size_t level = 0; level < kLevels; ++level) host.values[level] = Value(node, level);
    for (const judge::Occupant& occupant : world.occupants) {
      if (occupant.node != node.name) continue;
      for (const auto& [resource, amount] : occupant.requests) host.free[resource] -= amount;
    }
    hosts.push_back(std::move(host));
  }
  const auto key = [](const Host& host) {
    std::vector<std::string> out;
    for (const std::string& value : host.values) out.push_back(value.empty() ? "~" : value);
    out.push_back(host.name);
    return out;
  };
  std::sort(hosts.begin(), hosts.end(),
            [&](const Host& a, const Host& b) { return key(a) < key(b); });
  return hosts;
}

bool Admits(const Host& host, const Role& role) {
  if (!host.node->ready || host.node->unschedulable) return false;
  for (const auto& [key, value] : role.node_selector) {
    const auto it = host.node->labels.find(key);
    if (it == host.node->labels.end() || it->second != value) return false;
  }
  return true;
}

bool Takes(Host& host, const Role& role) {
  if (!Admits(host, role)) return false;
  for (const auto& [resource, amount] : role.requests) {
    if (host.free[resource] < amount) return false;
  }
  for (const auto& [resource, amount] : role.requests) host.free[resource] -= amount;
  return true;
}

void GiveBack(Host& host, const Role& role) {
  for (const auto& [resource, amount] : role.requests) host.free[resource] += amount;
}

bool LevelExists(const std::vector<Host>& hosts, size_t level) {
  return std::any_of(hosts.begin(), hosts.end(),
                     [&](const Host& host) { return !host.values[level].empty(); });
}

// The groups of hosts of which one must take all members; "" is no requirement.
std::vector<std::vector<size_t>> RequiredGroups(const std::vector<Host>& hosts,
                                                const std::string& required) {
  std::map<std::vector<std::string>, std::vector<size_t>> groups;
  for (size_t i = 0; i < hosts.size(); ++i) {
    std::vector<std::string> path;
    if (required == "host") path.push_back(hosts[i].name);
    for (size_t level = 0; level < kLevels && !required.empty() && required != "host"; ++level) {
      path.push_back(hosts[i].values[level]);
      if (required == kLevelNames[level]) break;
    }
    if (!required.empty() && path.back().empty()) continue;  // lacks the level
    groups[path].push_back(i);
  }
  std::vector<std::vector<size_t>> out;
  for (const auto& [path, members] : groups) out.push_back(members);
  return out;
}

std::vector<int32_t> TouchedBy(const std::vector<Host>& hosts, const std::vector<int32_t>& counts) {
  std::vector<int32_t> touched;
  for (size_t level = 0; level < kLevels; ++level) {
    if (!LevelExists(hosts, level)) continue;
    // A domain is its path. Who lacks the level counts with the finer domain that it is in, or
    // alone.
    std::set<std::vector<std::string>> domains;
    for (size_t i = 0; i < hosts.size(); ++i) {
      if (counts[i] == 0) continue;
      std::vector<std::string> path(hosts[i].values.begin(), hosts[i].values.begin() + level + 1);
      for (size_t finer = level + 1; path.back().empty() && finer < kLevels; ++finer) {
        path.push_back(hosts[i].values[finer]);
      }
      if (path.back().empty()) path.push_back(hosts[i].name);
      domains.insert(path);
    }
    touched.push_back(static_cast<int32_t>(domains.size()));
  }
  touched.push_back(static_cast<int32_t>(
      std::count_if(counts.begin(), counts.end(), [](int32_t count) { return count > 0; })));
  return touched;
}

struct Group {
  size_t first, end, level;
};

// The children of a domain: groups of equal value at the next level that they have, or single
// hosts.
std::vector<Group> Children(const std::vector<Host>& hosts, size_t first, size_t end,
                            size_t level) {
  std::vector<Group> out;
  while (first < end) {
    size_t at = level;
    while (at < kLevels && hosts[first].values[at].empty()) ++at;
    size_t last = first + 1;
    const auto same = [&](const Host& host) {
      return at < kLevels && std::equal(host.values.begin(), host.values.begin() + at + 1,
                                        hosts[first].values.begin());
    };
    while (last < end && same(hosts[last])) ++last;
    out.push_back({first, last, at + 1});
    first = last;
  }
  return out;
}

// Of two placements that touch alike: from the top of the tree down, the first child that gets more
// in one of them makes that one the better.
bool FirstIsBetter(const std::vector<Host>& hosts, const std::vector<int32_t>& a,
                   const std::vector<int32_t>& b, size_t first, size_t end, size_t level) {
  if (level > kLevels) return false;  // a single host
  const std::vector<Group> children = Children(hosts, first, end, level);
  const auto sum = [](const std::vector<int32_t>& counts, const Group& group) {
    int32_t total = 0;
    for (size_t i = group.first; i < group.end; ++i) total += counts[i];
    return total;
  };
  for (const Group& child : children) {
    if (sum(a, child) != sum(b, child)) return sum(a, child) > sum(b, child);
  }
  for (const Group& child : children) {
    if (!std::equal(a.begin() + child.first, a.begin() + child.end, b.begin() + child.first)) {
      return FirstIsBetter(hosts, a, b, child.first, child.end, child.level);
    }
  }
  return false;
}

class OneRole {
 public:
  // `segment_level`: one of kLevelNames or "host"; empty: members need not be in segments.
  OneRole(const SmallWorld& world, const std::string& segment_level)
      : hosts_(HostsInOrder(world)),
        role_(world.roles.front()),
        segment_level_(segment_level),
        counts_(hosts_.size(), 0) {
    for (const auto& group : RequiredGroups(hosts_, world.required)) Try(group, 0, role_.count);
  }

  std::optional<BestPlacement> Best() const {
    if (best_.empty()) return std::nullopt;
    BestPlacement out;
    out.touched = best_touched_;
    for (size_t i = 0; i < hosts_.size(); ++i) {
      if (best_[i] > 0) out.members[hosts_[i].name] = best_[i];
    }
    return out;
  }

 private:
  void Try(const std::vector<size_t>& group, size_t at, int32_t left) {
    if (left == 0) return Compare();
    if (at == group.size()) return;
    const size_t host = group[at];
    Try(group, at + 1, left);
    int32_t taken = 0;
    while (taken < left && Takes(hosts_[host], role_)) {
      counts_[host] = ++taken;
      Try(group, at + 1, left - taken);
    }
    for (; taken > 0; --taken) GiveBack(hosts_[host], role_);
    counts_[host] = 0;
  }

  // Each domain of the level takes whole segments, and nothing is outside of them.
  bool InWholeSegments(const std::string& level) const {
    if (level.empty() || role_.segment.size == 1) return true;
    int32_t in_domains = 0;
    for (const auto& group : RequiredGroups(hosts_, level)) {
      int32_t here = 0;
      for (const size_t host : group) here += counts_[host];
      if (here % role_.segment.size != 0) return false;
      in_domains += here;
    }
    return in_domains == role_.count;
  }

  void Compare() {
    if (!InWholeSegments(segment_level_)) return;
    if (!InWholeSegments(role_.segment.required_level)) return;
    const std::vector<int32_t> touched = TouchedBy(hosts_, counts_);
    const bool better =
        best_.empty() || touched < best_touched_ ||
        (touched == best_touched_ && FirstIsBetter(hosts_, counts_, best_, 0, hosts_.size(), 0));
    if (!better) return;
    best_ = counts_;
    best_touched_ = touched;
  }

  std::vector<Host> hosts_;
  const Role& role_;
  const std::string segment_level_;
  std::vector<int32_t> counts_;
  std::vector<int32_t> best_;
  std::vector<int32_t> best_touched_;
};

// Where the segments may lie, best first: the preferred level, the next coarser ones, down to the
// required one; at the end anywhere (""), unless a level is required.
std::vector<std::string> SegmentLevels(const SmallWorld& world) {
  const Segment& segment = world.roles.front().segment;
  if (segment.size == 1) return {""};
  const std::vector<Host> hosts = HostsInOrder(world);
  std::vector<std::string> fine_to_coarse = {"host"};
  for (size_t level = kLevels; level-- > 0;) {
    if (LevelExists(hosts, level)) fine_to_coarse.push_back(kLevelNames[level]);
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

// Every way to place roles one member after another; of a role, members go to hosts in ascending
// order, since they are alike.
class EveryRole {
 public:
  explicit EveryRole(const SmallWorld& world)
      : hosts_(HostsInOrder(world)), roles_(world.roles), counts_(hosts_.size(), 0) {
    for (const auto& group : RequiredGroups(hosts_, world.required)) Try(group, 0, 0, 0);
  }

  const std::optional<std::vector<int32_t>>& Least() const { return least_; }

 private:
  void Try(const std::vector<size_t>& group, size_t role, int32_t placed, size_t from) {
    if (role == roles_.size()) return Compare();
    if (placed == roles_[role].count) return Try(group, role + 1, 0, 0);
    for (size_t at = from; at < group.size(); ++at) {
      Host& host = hosts_[group[at]];
      if (!Takes(host, roles_[role])) continue;
      ++counts_[group[at]];
      Try(group, role, placed + 1, at);
      --counts_[group[at]];
      GiveBack(host, roles_[role]);
    }
  }

  void Compare() {
    std::vector<bool> used;
    for (const int32_t count : counts_) used.push_back(count > 0);
    if (!seen_.insert(used).second) return;
    const std::vector<int32_t> touched = TouchedBy(hosts_, counts_);
    if (!least_ || touched < *least_) least_ = touched;
  }

  std::vector<Host> hosts_;
  const std::vector<Role>& roles_;
  std::vector<int32_t> counts_;
  std::set<std::vector<bool>> seen_;  // sets of hosts that were looked at
  std::optional<std::vector<int32_t>> least_;
};

}  // namespace

std::optional<BestPlacement> BruteForceOneRole(const SmallWorld& world) {
  if (world.roles.front().count % world.roles.front().segment.size != 0) return std::nullopt;
  for (const std::string& level : SegmentLevels(world)) {
    if (auto best = OneRole(world, level).Best()) return best;
  }
  return std::nullopt;
}

std::optional<std::vector<int32_t>> BruteForceRoles(const SmallWorld& world) {
  return EveryRole(world).Least();
}

std::vector<int32_t> Touched(const SmallWorld& world, const std::vector<std::string>& names) {
  const std::vector<Host> hosts = HostsInOrder(world);
  std::vector<int32_t> counts(hosts.size(), 0);
  for (size_t i = 0; i < hosts.size(); ++i) {
    counts[i] = std::find(names.begin(), names.end(), hosts[i].name) == names.end() ? 0 : 1;
  }
  return TouchedBy(hosts, counts);
}

}  // namespace phalanx::oracle

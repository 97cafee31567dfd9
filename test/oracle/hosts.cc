#include "oracle/hosts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace phalanx::oracle {
namespace {

using Path = std::vector<std::string>;

bool Admits(const Host& host, const Role& role) {
  if (!host.node->ready || host.node->unschedulable) return false;
  for (const auto& [key, value] : role.node_selector) {
    const auto it = host.node->labels.find(key);
    if (it == host.node->labels.end() || it->second != value) return false;
  }
  return true;
}

// The domain of a host at a level is its path. Who lacks the level counts with the finer domain
// that it is in, or alone.
Path DomainAt(const Host& host, size_t level) {
  Path path(host.values.begin(), host.values.begin() + static_cast<ptrdiff_t>(level) + 1);
  for (size_t finer = level + 1; path.back().empty() && finer < host.values.size(); ++finer) {
    path.push_back(host.values[finer]);
  }
  if (path.back().empty()) path.push_back(host.name);
  return path;
}

struct Group {
  size_t first, end, level;
};

// The children of a domain: groups of equal value at the next level that they have, or single
// hosts.
std::vector<Group> Children(const std::vector<Host>& hosts, const Group& domain) {
  std::vector<Group> out;
  const size_t levels = hosts.front().values.size();
  for (size_t first = domain.first; first < domain.end;) {
    size_t at = domain.level;
    while (at < levels && hosts[first].values[at].empty()) ++at;
    const auto same = [&](const Host& host) {
      return at < levels &&
             std::equal(host.values.begin(), host.values.begin() + static_cast<ptrdiff_t>(at) + 1,
                        hosts[first].values.begin());
    };
    size_t last = first + 1;
    while (last < domain.end && same(hosts[last])) ++last;
    out.push_back({first, last, at + 1});
    first = last;
  }
  return out;
}

int32_t Sum(const std::vector<int32_t>& counts, const Group& group) {
  return std::accumulate(counts.begin() + static_cast<ptrdiff_t>(group.first),
                         counts.begin() + static_cast<ptrdiff_t>(group.end), 0);
}

bool BetterBelow(const std::vector<Host>& hosts, const RoleCounts& a, const RoleCounts& b,
                 const Group& domain) {
  if (domain.level > hosts.front().values.size()) return false;  // a single host
  const std::vector<Group> children = Children(hosts, domain);
  for (const Group& child : children) {
    for (size_t role = 0; role < a.size(); ++role) {
      const int32_t in_a = Sum(a[role], child);
      const int32_t in_b = Sum(b[role], child);
      if (in_a != in_b) return in_a > in_b;
    }
  }
  for (const Group& child : children) {
    if (BetterBelow(hosts, a, b, child)) return true;
    if (BetterBelow(hosts, b, a, child)) return false;
  }
  return false;
}

}  // namespace

std::vector<Host> HostsInOrder(const SmallWorld& world) {
  std::vector<Host> hosts;
  for (const NodeObject& node : world.nodes) {
    Host host{node.name, {}, node.allocatable, &node};
    for (const WorldLevel& level : world.levels) {
      const auto it = node.labels.find(level.key);
      host.values.push_back(it == node.labels.end() ? "" : it->second);
    }
    for (const judge::Occupant& occupant : world.occupants) {
      if (occupant.node != node.name) continue;
      for (const auto& [resource, amount] : occupant.requests) host.free[resource] -= amount;
    }
    hosts.push_back(std::move(host));
  }
  const auto key = [](const Host& host) {
    Path out;
    for (const std::string& value : host.values) out.push_back(value.empty() ? "~" : value);
    out.push_back(host.name);
    return out;
  };
  std::sort(hosts.begin(), hosts.end(),
            [&](const Host& a, const Host& b) { return key(a) < key(b); });
  return hosts;
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

namespace {

// `across`: a level below the NVLink domains is not cut by them. In these worlds that is the leaf.
std::vector<std::vector<size_t>> Domains(const SmallWorld& world, const std::vector<Host>& hosts,
                                         const std::string& level, bool across) {
  const auto named = std::find_if(world.levels.begin(), world.levels.end(),
                                  [&](const WorldLevel& other) { return other.name == level; });
  const auto depth = named - world.levels.begin();
  const auto above = std::find_if(world.levels.begin(), named, [&](const WorldLevel& other) {
    return across && other.name == "nvlink";
  });
  std::map<Path, std::vector<size_t>> domains;
  for (size_t i = 0; i < hosts.size(); ++i) {
    const std::vector<std::string>& values = hosts[i].values;
    if (level.empty()) {
      domains[{}].push_back(i);
    } else if (level == "host") {
      domains[{hosts[i].name}].push_back(i);
    } else if (named != world.levels.end() && !values[static_cast<size_t>(depth)].empty()) {
      Path path(values.begin(), values.begin() + (above - world.levels.begin()));
      path.push_back(values[static_cast<size_t>(depth)]);
      domains[path].push_back(i);
    }
  }
  std::vector<std::vector<size_t>> out;
  for (auto& [path, members] : domains) out.push_back(std::move(members));
  return out;
}

}  // namespace

std::vector<std::vector<size_t>> DomainsOf(const SmallWorld& world, const std::vector<Host>& hosts,
                                           const std::string& level) {
  return Domains(world, hosts, level, true);
}

std::vector<std::vector<size_t>> PartsOf(const SmallWorld& world, const std::vector<Host>& hosts,
                                         const std::string& level) {
  return Domains(world, hosts, level, false);
}

bool InWholeSegments(const std::vector<std::vector<size_t>>& domains,
                     const std::vector<int32_t>& counts, int32_t size) {
  int32_t outside = std::accumulate(counts.begin(), counts.end(), 0);
  for (const auto& domain : domains) {
    int32_t here = 0;
    for (const size_t host : domain) here += counts[host];
    if (here % size != 0) return false;
    outside -= here;
  }
  return outside == 0;
}

bool KeepsSpread(const std::vector<std::vector<size_t>>& domains,
                 const std::vector<int32_t>& counts, const Spread& spread) {
  int32_t outside = std::accumulate(counts.begin(), counts.end(), 0);
  for (const auto& domain : domains) {
    int32_t here = 0;
    for (const size_t host : domain) here += counts[host];
    if (spread.at_most > 0 && here > spread.at_most) return false;
    if (here > 0 && here < spread.at_least) return false;
    outside -= here;
  }
  return outside == 0;
}

std::vector<int32_t> TouchedBy(const std::vector<Host>& hosts, const std::vector<int32_t>& counts) {
  std::vector<int32_t> touched;
  const size_t levels = hosts.empty() ? 0 : hosts.front().values.size();
  for (size_t level = 0; level < levels; ++level) {
    if (!LevelExists(hosts, level)) continue;
    std::set<Path> domains;
    for (size_t i = 0; i < hosts.size(); ++i) {
      if (counts[i] > 0) domains.insert(DomainAt(hosts[i], level));
    }
    touched.push_back(static_cast<int32_t>(domains.size()));
  }
  touched.push_back(static_cast<int32_t>(
      std::count_if(counts.begin(), counts.end(), [](int32_t count) { return count > 0; })));
  return touched;
}

bool FirstIsBetter(const std::vector<Host>& hosts, const RoleCounts& a, const RoleCounts& b) {
  return !hosts.empty() && BetterBelow(hosts, a, b, {0, hosts.size(), 0});
}

}  // namespace phalanx::oracle

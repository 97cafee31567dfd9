#include "oracle/link_worlds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/judge/segments.h"
#include "core/judge/uplinks.h"
#include "core/plan/assign.h"
#include "oracle/hosts.h"

namespace phalanx::oracle {
namespace {

Traffic RandomTraffic(Random& random) {
  Traffic traffic;
  int32_t* const fields[] = {&traffic.dp, &traffic.tp, &traffic.pp, &traffic.ep,
                             &traffic.all_to_all};
  for (int64_t i = Between(random, 1, 2); i > 0; --i) {
    *fields[Between(random, 0, 4)] = static_cast<int32_t>(Between(random, 1, 10));
  }
  return traffic;
}

std::vector<DeclaredTopology> Declared(const LinkWorld& links) {
  DeclaredTopology topology{0, true, {}};
  for (const WorldLevel& level : links.world.levels) {
    const auto uplink = links.uplinks.find(level.name);
    topology.levels.push_back({level.name, level.key, false, "",
                               uplink == links.uplinks.end() ? Uplink() : uplink->second});
  }
  return {topology};
}

// Members that talk to each other, by host in order; -1: on no host that is there.
struct Talk {
  Traffic traffic;
  Segment segment;
  std::vector<size_t> hosts;
};

class Loads {
 public:
  Loads(const LinkWorld& links, const std::vector<Host>& hosts) : links_(links), hosts_(hosts) {}

  // By level and values down to it.
  using Map = std::map<std::vector<std::string>, int64_t>;
  Map Of(const std::vector<Talk>& talks, size_t level) const {
    Map loads;
    for (const Talk& talk : talks) {
      std::map<std::vector<std::string>, int64_t> inside;
      for (const size_t host : talk.hosts) {
        const std::vector<std::string>& values = hosts_[host].values;
        if (values[level].empty()) continue;
        const auto end = values.begin() + static_cast<ptrdiff_t>(level) + 1;
        ++inside[std::vector(values.begin(), end)];
      }
      for (const auto& [domain, in] : inside) {
        loads[domain] += Sent(talk, level, in, std::ssize(talk.hosts));
      }
    }
    return loads;
  }

 private:
  int64_t Sent(const Talk& talk, size_t level, int64_t in, int64_t all) const {
    if (in == all) return 0;
    const Traffic& each = talk.traffic;
    int64_t sum = each.dp + each.pp;
    // Every pair of one inside and one outside.
    const int64_t pairs = in * (all - in) * (each.ep + each.all_to_all);
    while (sum * (all - 1) < pairs + (each.dp + each.pp) * (all - 1)) ++sum;
    int64_t cut = std::min(in, all - in);
    if (KeptWhole(talk.segment, level)) {
      const int64_t left = in % talk.segment.size;
      cut = std::min({cut, left, talk.segment.size - left});
    }
    return sum + cut * each.tp;
  }

  bool KeptWhole(const Segment& segment, size_t level) const {
    if (segment.size == 1 || segment.required_level.empty()) return false;
    if (segment.required_level == "host") return true;
    for (size_t i = level; i < links_.world.levels.size(); ++i) {
      if (links_.world.levels[i].name == segment.required_level) return LevelExists(hosts_, i);
    }
    return false;
  }

  const LinkWorld& links_;
  const std::vector<Host>& hosts_;
};

// Who talks before the gang is placed, or with it.
std::vector<Talk> TalksOf(const LinkWorld& links, const std::vector<Host>& hosts,
                          const RoleCounts* counts) {
  std::vector<Talk> talks;
  std::vector<int> gangs;
  const auto add = [&](int gang, const Traffic& traffic, const Segment& segment, size_t host) {
    if (!traffic.Any()) return;
    size_t at = 0;
    while (at < talks.size() &&
           !(gangs[at] == gang && talks[at].traffic == traffic && talks[at].segment == segment)) {
      ++at;
    }
    if (at == talks.size()) {
      talks.push_back({traffic, segment, {}});
      gangs.push_back(gang);
    }
    talks[at].hosts.push_back(host);
  };
  for (const Neighbour& other : links.neighbours) {
    const auto host = std::ranges::find(hosts, other.node, &Host::name);
    const bool own = other.gang == 0;
    add(other.gang, own ? links.traffic[other.role] : other.traffic,
        own ? links.world.roles[other.role].segment : Segment(),
        static_cast<size_t>(host - hosts.begin()));
  }
  for (size_t role = 0; counts != nullptr && role < counts->size(); ++role) {
    for (size_t host = 0; host < hosts.size(); ++host) {
      for (int32_t i = 0; i < (*counts)[role][host]; ++i) {
        add(0, links.traffic[role], links.world.roles[role].segment, host);
      }
    }
  }
  return talks;
}

class Every {
 public:
  Every(const LinkWorld& links, bool limits)
      : links_(links),
        limits_(limits),
        hosts_(HostsInOrder(links.world)),
        joins_(std::ranges::any_of(links.neighbours,
                                   [](const Neighbour& one) { return one.gang == 0; })),
        counts_(links.world.roles.size(), std::vector<int32_t>(hosts_.size(), 0)) {
    for (const auto& domain : DomainsOf(links.world, hosts_, links.world.required)) {
      Try(domain, 0, 0, links.world.roles[0].count);
    }
  }

  std::optional<BestOnLinks> Best() const {
    if (best_.empty()) return std::nullopt;
    BestOnLinks out{touched_, over_, {}};
    for (size_t host = 0; host < hosts_.size(); ++host) {
      std::vector<int32_t> here;
      for (const auto& counts : best_) here.push_back(counts[host]);
      if (std::ranges::max(here) > 0) out.members[hosts_[host].name] = here;
    }
    return out;
  }

 private:
  void Try(const std::vector<size_t>& domain, size_t role, size_t at, int32_t left) {
    if (left == 0) return Next(domain, role);
    if (at == domain.size()) return;
    Host& host = hosts_[domain[at]];
    int32_t& count = counts_[role][domain[at]];
    Try(domain, role, at + 1, left);
    while (count < left && Takes(host, links_.world.roles[role])) {
      ++count;
      Try(domain, role, at + 1, left - count);
    }
    for (; count > 0; --count) GiveBack(host, links_.world.roles[role]);
  }

  void Next(const std::vector<size_t>& domain, size_t role) {
    const Role& here = links_.world.roles[role];
    if (here.segment.size > 1 && !joins_ &&
        !InWholeSegments(PartsOf(links_.world, hosts_, here.segment.required_level), counts_[role],
                         here.segment.size)) {
      return;
    }
    if (role + 1 < counts_.size()) {
      return Try(domain, role + 1, 0, links_.world.roles[role + 1].count);
    }
    Compare();
  }

  void Compare() {
    const std::optional<int64_t> over = limits_ ? OverLimits(links_, counts_) : 0;
    if (!over) return;
    std::vector<int32_t> all(hosts_.size(), 0);
    for (const auto& counts : counts_) {
      for (size_t host = 0; host < all.size(); ++host) all[host] += counts[host];
    }
    std::vector<int32_t> touched = TouchedBy(hosts_, all);
    const bool better =
        best_.empty() || touched < touched_ || (touched == touched_ && *over < over_) ||
        (touched == touched_ && *over == over_ && FirstIsBetter(hosts_, counts_, best_));
    if (!better) return;
    best_ = counts_;
    touched_ = std::move(touched);
    over_ = *over;
  }

  const LinkWorld& links_;
  const bool limits_;
  std::vector<Host> hosts_;
  const bool joins_;
  RoleCounts counts_;
  RoleCounts best_;
  std::vector<int32_t> touched_;
  int64_t over_ = 0;
};

}  // namespace

std::string LinkWorld::Describe() const {
  const auto text = [](const Traffic& traffic) {
    return fmt::format("dp {} tp {} pp {} ep {} all {}", traffic.dp, traffic.tp, traffic.pp,
                       traffic.ep, traffic.all_to_all);
  };
  std::string out = world.Describe();
  for (const Traffic& each : traffic) out += fmt::format("role sends {}\n", text(each));
  for (const auto& [level, uplink] : uplinks) {
    out += fmt::format("uplink of {}: {}{}\n", level, uplink.mbps, uplink.hard ? " hard" : "");
  }
  for (const Neighbour& other : neighbours) {
    out += fmt::format("on {}: gang {} role {} sends {}\n", other.node, other.gang, other.role,
                       text(other.traffic));
  }
  return out;
}

LinkWorld RandomLinkWorld(Random& random, int roles) {
  LinkWorld links;
  links.world = RandomHosts(random, roles == 1 ? 6 : 5);
  for (int role = 0; role < roles; ++role) {
    Role& made = links.world.roles.emplace_back(RandomRole(random, roles == 1 ? 7 : 4));
    if (role > 0) made.requests[kCpu] = 2;  // never the same shape as the first
    if (roles == 1 && Chance(random, 25)) {
      made.segment = RandomSegment(random, links.world);
      made.segment.preferred_level.clear();
      if (made.segment.required_level.empty()) made.segment = Segment();
      made.count = std::min(made.count, 4) * made.segment.size;
    }
    links.traffic.push_back(RandomTraffic(random));
  }
  if (roles > 1 && Chance(random, 50)) links.traffic[1] = links.traffic[0];
  if (roles > 1 && Chance(random, 30)) links.traffic[1] = Traffic();
  for (const WorldLevel& level : links.world.levels) {
    if (Chance(random, 30)) continue;
    links.uplinks[level.name] = {Between(random, 1, 25), Chance(random, 50)};
  }
  const bool joins = Chance(random, 15);
  for (int64_t i = Between(random, 0, 6); i > 0; --i) {
    const auto& nodes = links.world.nodes;
    Neighbour other;
    other.node = nodes[static_cast<size_t>(Between(random, 0, std::ssize(nodes) - 1))].name;
    other.gang = static_cast<int>(Between(random, joins ? 0 : 1, 2));
    other.role = static_cast<size_t>(Between(random, 0, roles - 1));
    other.traffic = other.gang == 1 ? Traffic{.all_to_all = 5} : Traffic{.dp = 3, .tp = 4};
    links.neighbours.push_back(other);
  }
  return links;
}

Searched SearchLinks(const LinkWorld& links) {
  Searched out;
  out.cluster = std::make_unique<Cluster>();
  Cluster& cluster = *out.cluster;
  for (const NodeObject& node : links.world.nodes) cluster.UpsertNode(node);
  cluster.DeclareTopology(Declared(links));
  cluster.RefreshTopology();
  uint32_t pod = 0;
  for (const judge::Occupant& occupant : links.world.occupants) {
    cluster.ledger().Book(PodId(pod++), cluster.NodeForName(occupant.node), BookingKind::kBound,
                          Resources::From(occupant.requests, cluster.resources()));
  }
  for (size_t role = 0; role < links.world.roles.size(); ++role) {
    Shape shape = cluster.shapes().Get(InternRole(cluster, links.world.roles[role]));
    shape.traffic = links.traffic[role];
    out.request.roles.push_back({cluster.shapes().Intern(shape), links.world.roles[role].count});
  }
  for (const Neighbour& other : links.neighbours) {
    Shape shape;
    shape.traffic = other.traffic;
    const bool own = other.gang == 0;
    const ShapeId id = own ? out.request.roles[other.role].shape : cluster.shapes().Intern(shape);
    const NodeId node = cluster.NodeForName(other.node);
    const bool talks = cluster.shapes().Get(id).traffic.Any();
    const GangId gang(static_cast<uint32_t>(other.gang));
    cluster.ledger().Book(PodId(pod++), node, BookingKind::kBound, {},
                          talks ? phalanx::Talk{gang, id} : phalanx::Talk());
    if (own) {
      out.request.placed.push_back({id, node, 1});
      out.request.joining = true;
    }
  }
  out.request.required_level = links.world.required;
  out.answer = Place(cluster, out.request);
  return out;
}

std::vector<std::string> JudgeLinks(const LinkWorld& links, const Searched& searched) {
  const Placement* placement = searched.answer.placement();
  if (placement == nullptr) return {};
  const auto member_of = [&](size_t role) {
    judge::Assignment member;
    const Role& made = links.world.roles[role];
    member.pod.requests = made.requests;
    member.pod.node_selector = made.node_selector;
    Membership& says = member.pod.membership.emplace();
    says.gang = {"ns", "label", "gang-0"};
    says.required_level = links.world.required;
    says.segment = made.segment;
    says.traffic = links.traffic[role];
    return member;
  };
  std::vector<judge::Assignment> gang;
  for (const SlotsOnHost& slot : placement->slots) {
    for (size_t role = 0; role < searched.request.roles.size(); ++role) {
      if (searched.request.roles[role].shape != slot.shape) continue;
      for (int32_t i = 0; i < slot.count; ++i) {
        judge::Assignment& member = gang.emplace_back(member_of(role));
        member.node = searched.cluster->topology().host(slot.host).name;
        member.rank = static_cast<int32_t>(gang.size()) - 1;
      }
    }
  }
  std::vector<judge::Assignment> others;
  for (const Neighbour& other : links.neighbours) {
    judge::Assignment& member = others.emplace_back(member_of(other.role));
    member.node = other.node;
    if (other.gang == 0) continue;
    member.pod.membership->gang.name = fmt::format("gang-{}", other.gang);
    member.pod.membership->segment = Segment();
    member.pod.membership->traffic = other.traffic;
  }
  const judge::World judged{links.world.nodes, links.world.occupants, {}, Declared(links)};
  std::vector<std::string> wrong = judge::CheckPlacement(judged, gang);
  for (std::string& text : judge::CheckUplinks(judged, gang, others)) {
    wrong.push_back(std::move(text));
  }
  if (searched.request.joining) return wrong;
  for (std::string& text : judge::CheckSegments(judged, gang)) wrong.push_back(std::move(text));
  return wrong;
}

std::optional<int64_t> OverLimits(const LinkWorld& links, const RoleCounts& counts) {
  const std::vector<Host> hosts = HostsInOrder(links.world);
  const std::vector<Talk> before = TalksOf(links, hosts, nullptr);
  const std::vector<Talk> after = TalksOf(links, hosts, &counts);
  const Loads loads(links, hosts);
  int64_t over = 0;
  for (size_t level = 0; level < links.world.levels.size(); ++level) {
    const auto uplink = links.uplinks.find(links.world.levels[level].name);
    if (uplink == links.uplinks.end()) continue;
    const int64_t limit = uplink->second.mbps;
    Loads::Map was = loads.Of(before, level);
    for (const auto& [domain, now] : loads.Of(after, level)) {
      const int64_t more =
          std::max<int64_t>(now - limit, 0) - std::max<int64_t>(was[domain] - limit, 0);
      if (more > 0 && uplink->second.hard) return std::nullopt;
      over += more;
    }
  }
  return over;
}

std::optional<BestOnLinks> BruteForceLinks(const LinkWorld& links, bool limits) {
  for (const Role& role : links.world.roles) {
    const bool joins =
        std::ranges::any_of(links.neighbours, [](const Neighbour& one) { return one.gang == 0; });
    if (!joins && role.count % role.segment.size != 0) return std::nullopt;
  }
  return Every(links, limits).Best();
}

}  // namespace phalanx::oracle

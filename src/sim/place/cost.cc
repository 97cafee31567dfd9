#include "sim/place/cost.h"

#include <algorithm>
#include <set>

#include "core/place/segments.h"

namespace phalanx::sim {
namespace {

// Where a host counts at a level: its domain there, or itself where it has none.
struct Place {
  DomainId domain;
  HostId host;
  uint32_t across = Crossing::kNone;  // the domain of a level that crosses the tree

  bool IsDomain() const { return domain.valid() || across != Crossing::kNone; }

  friend auto operator<=>(const Place&, const Place&) = default;
};

// As the tree has it: a level that crosses is cut.
Place PlaceInTree(const Topology& topology, HostId host, LevelId level) {
  const DomainId domain = topology.DomainAt(host, level);
  return domain.valid() ? Place{domain, HostId::None()} : Place{DomainId::None(), host};
}

Place PlaceOf(const Topology& topology, HostId host, LevelId level) {
  const Crossing* crossing = topology.CrossingOf(level);
  if (crossing == nullptr) return PlaceInTree(topology, host, level);
  const uint32_t domain = crossing->domain_of[host.index()];
  if (domain == Crossing::kNone) return {DomainId::None(), host};
  return {DomainId::None(), HostId::None(), domain};
}

std::string PathOf(const Topology& topology, LevelId level, const Place& place) {
  if (place.host.valid()) return topology.host(place.host).name;
  if (place.domain.valid()) return topology.Path(place.domain);
  return topology.CrossingOf(level)->domains[place.across].path;
}

void AddRequired(const Topology& topology, LevelId level, const Placement& placement, Cost& cost) {
  std::set<Place> places;
  for (const SlotsOnHost& slot : placement.slots) {
    places.insert(PlaceOf(topology, slot.host, level));
  }
  cost.domains = static_cast<int32_t>(places.size());
  if (places.size() == 1) cost.domain = PathOf(topology, level, *places.begin());
}

// Segments that do not lie in one domain of the level. A host without the level is in none.
template <class PlaceAt>
int32_t CutAt(const Topology& topology, LevelId level, const std::vector<HostId>& by_rank,
              int32_t size, PlaceAt place_at) {
  int32_t cut = 0;
  const auto n = static_cast<size_t>(size);
  for (size_t first = 0; first < by_rank.size(); first += n) {
    const Place place = place_at(topology, by_rank[first], level);
    bool whole = level == topology.host_level() || place.IsDomain();
    for (size_t i = first; i < std::min(first + n, by_rank.size()); ++i) {
      whole &= place_at(topology, by_rank[i], level) == place;
    }
    cut += whole ? 0 : 1;
  }
  return cut;
}

SegmentCost SegmentsOf(const Topology& topology, const SegmentRule& rule,
                       const std::vector<HostId>& by_rank, const std::vector<std::string>& names) {
  SegmentCost cost;
  cost.segments = static_cast<int32_t>(std::ssize(by_rank) / rule.size);
  if (rule.Required().valid()) {
    cost.cut = CutAt(topology, rule.Required(), by_rank, rule.size, PlaceOf);
  }
  for (const LevelId level : rule.levels) {
    if (!level.valid()) break;
    if (CutAt(topology, level, by_rank, rule.size, PlaceInTree) == 0) {
      cost.whole_in = names[level.index()];
      break;
    }
    ++cost.given_up;
  }
  return cost;
}

// Members per child of a domain: its sub-domains, then the hosts directly below it.
std::vector<int32_t> PositionOf(const Topology& topology, const Placement& placement) {
  std::vector<int32_t> on_host(topology.hosts().size(), 0);
  for (const SlotsOnHost& slot : placement.slots) on_host[slot.host.index()] += slot.count;
  std::vector<int32_t> position;
  for (const Topology::Domain& domain : topology.domains()) {
    uint32_t host = domain.first_host.value();
    const uint32_t end = host + domain.host_count;
    for (const DomainId child : domain.children) {
      int32_t members = 0;
      for (uint32_t i = 0; i < topology.domain(child).host_count; ++i) members += on_host[host++];
      position.push_back(members);
    }
    for (; host < end; ++host) position.push_back(on_host[host]);
  }
  return position;
}

// Distinct places per level: a host or domain that lacks a level counts there by itself.
std::vector<int32_t> TouchedOf(const Topology& topology, const Placement& placement) {
  std::vector<int32_t> touched;
  for (uint32_t level = 0; level <= topology.levels().size(); ++level) {
    std::set<Place> places;
    for (const SlotsOnHost& slot : placement.slots) {
      Place place = PlaceInTree(topology, slot.host, LevelId(level));
      // Without this level the next finer one that the host has tells it from others.
      for (uint32_t finer = level + 1; !place.domain.valid() && finer < topology.levels().size();
           ++finer) {
        place = PlaceInTree(topology, slot.host, LevelId(finer));
      }
      places.insert(place);
    }
    touched.push_back(static_cast<int32_t>(places.size()));
  }
  return touched;
}

std::optional<Difference> FragmentDifference(const FragmentCost& a, const FragmentCost& b) {
  const auto score = [](const FragmentCost& cost) { return Fragmentation::ScorePart(cost.hosts); };
  if (score(a) != score(b)) return Difference{7, "score", score(a), score(b)};
  const auto left = [](const FragmentCost& cost) { return Fragmentation::LeftPart(cost.hosts); };
  if (left(a) != left(b)) return Difference{7, "thousandths left", left(a), left(b)};
  if (a.stranded == b.stranded) return std::nullopt;
  return Difference{7, "stranded", a.stranded, b.stranded};
}

std::optional<Difference> SegmentDifference(const Cost& a, const Cost& b) {
  const size_t roles = std::min(a.segments.size(), b.segments.size());
  for (size_t i = 0; i < roles; ++i) {
    if (a.segments[i].cut == b.segments[i].cut) continue;
    return Difference{2, "segments cut", a.segments[i].cut, b.segments[i].cut};
  }
  for (size_t i = 0; i < roles; ++i) {
    if (a.segments[i].given_up == b.segments[i].given_up) continue;
    return Difference{3, "levels given up by segments", a.segments[i].given_up,
                      b.segments[i].given_up};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> LevelNames(const Topology& topology) {
  std::vector<std::string> names;
  for (const Topology::Level& level : topology.levels()) names.push_back(level.name);
  names.push_back("host");
  return names;
}

Cost CostOf(const Cluster& cluster, const PlacementRequest& request, const Placement& placement) {
  const Topology& topology = cluster.topology();
  Cost cost;
  const LevelId required = topology.FindLevel(request.required_level);
  if (required.valid()) AddRequired(topology, required, placement, cost);
  for (const RoleRequest& role : request.roles) {
    const SegmentRule rule = RuleOf(cluster, request, role.shape);
    if (!rule.Whole()) continue;
    std::vector<HostId> by_rank;
    for (const SlotsOnHost& slot : placement.slots) {
      if (slot.shape == role.shape) by_rank.insert(by_rank.end(), slot.count, slot.host);
    }
    cost.segments.push_back(SegmentsOf(topology, rule, by_rank, LevelNames(topology)));
  }
  cost.touched = TouchedOf(topology, placement);
  cost.fragments = FragmentsOf(cluster, request, placement);
  if (cost.fragments) {
    int64_t weight = 0;
    for (const GangSize& gang : request.fragmentation->mix().gangs) weight += gang.weight;
    cost.gang_weight = std::max<int64_t>(weight, 1);
  }
  if (LinksCount(cluster, request)) cost.links = LinkChangeOf(cluster, request, placement.slots);
  cost.position = PositionOf(topology, placement);
  return cost;
}

std::optional<Difference> FirstDifference(const Cost& a, const Cost& b,
                                          const std::vector<std::string>& names) {
  if (a.domains != b.domains) {
    return Difference{1, "domains of the required level", a.domains, b.domains};
  }
  if (auto difference = SegmentDifference(a, b)) return difference;
  for (size_t i = 0; i < names.size(); ++i) {
    if (a.touched[i] == b.touched[i]) continue;
    return Difference{i + 1 == names.size() ? 5 : 4, names[i], a.touched[i], b.touched[i]};
  }
  if (a.links && b.links && a.links->over != b.links->over) {
    return Difference{6, "MB/s over links", a.links->over, b.links->over};
  }
  if (a.fragments && b.fragments) {
    if (auto difference = FragmentDifference(*a.fragments, *b.fragments)) return difference;
  }
  if (a.position == b.position) return std::nullopt;
  const bool first = a.position > b.position;
  return Difference{8, "position", first ? 0 : 1, first ? 1 : 0};
}

}  // namespace phalanx::sim

#include "core/place/link_costs.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace phalanx {
namespace {

// Adds members to a host's domains.
template <class Count>
void AddUpwards(const Topology& topology, HostId host, int32_t members, Count& inside) {
  for (DomainId id = topology.host(host).parent; id != topology.root();
       id = topology.domain(id).parent) {
    inside(id) += members;
  }
}

// Members that talk to each other: by domain, and all of them.
struct Talkers {
  std::map<DomainId, int32_t> inside;
  int32_t all = 0;

  void Add(const Topology& topology, HostId host, int32_t members) {
    all += members;
    if (!host.valid()) return;
    auto count = [this](DomainId id) -> int32_t& { return inside[id]; };
    AddUpwards(topology, host, members, count);
  }
};

// Whether `a` is used more for what it carries. REQUIRES: both limits are declared.
bool IsHotter(const LinkLoad& a, int64_t a_used, const LinkLoad& b, int64_t b_used) {
  if (!b.domain.valid()) return true;
  return Int128{a_used} * b.uplink.mbps > Int128{b_used} * a.uplink.mbps;
}

// The groups of members that talk to each other, as they are and as they would be.
std::vector<std::pair<Talkers, Talkers>> GroupsOf(const Cluster& cluster,
                                                  const PlacementRequest& request,
                                                  const std::vector<SlotsOnHost>& slots,
                                                  std::vector<ShapeId>& shapes) {
  const Topology& topology = cluster.topology();
  std::vector<std::pair<Talkers, Talkers>> groups;
  const auto group_of = [&](ShapeId shape) -> std::pair<Talkers, Talkers>* {
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (SameTalk(cluster.shapes().Get(shapes[i]), cluster.shapes().Get(shape))) return &groups[i];
    }
    if (!cluster.shapes().Get(shape).traffic.Any()) return nullptr;
    shapes.push_back(shape);
    return &groups.emplace_back();
  };
  for (const PlacedMembers& placed : request.placed) {
    auto* group = group_of(placed.shape);
    if (group == nullptr) continue;
    group->first.Add(topology, topology.HostOf(placed.node), placed.count);
    group->second.Add(topology, topology.HostOf(placed.node), placed.count);
  }
  for (const SlotsOnHost& slot : slots) {
    if (auto* group = group_of(slot.shape)) group->second.Add(topology, slot.host, slot.count);
  }
  return groups;
}

}  // namespace

bool LinksCount(const Cluster& cluster, const PlacementRequest& request) {
  const bool sends = std::ranges::any_of(request.roles, [&](const RoleRequest& role) {
    return role.count > 0 && cluster.shapes().Get(role.shape).traffic.Any();
  });
  return sends && cluster.topology().HasUplinks();
}

LinkChange LinkChangeOf(const Cluster& cluster, const PlacementRequest& request,
                        const std::vector<SlotsOnHost>& slots) {
  const Topology& topology = cluster.topology();
  const LinkUsage::Loads& used = cluster.LinkLoads();
  LinkUsage::Loads after = used;
  std::vector<ShapeId> shapes;
  const auto groups = GroupsOf(cluster, request, slots, shapes);
  for (size_t i = 0; i < groups.size(); ++i) {
    const CrossingTraffic traffic(topology, cluster.shapes().Get(shapes[i]));
    const auto& [then, now] = groups[i];
    for (const auto& [id, inside] : then.inside) {
      after[id.index()] -= traffic.Over(topology.domain(id).level, inside, then.all);
    }
    for (const auto& [id, inside] : now.inside) {
      after[id.index()] += traffic.Over(topology.domain(id).level, inside, now.all);
    }
  }
  LinkChange change;
  for (uint32_t i = 0; i < after.size(); ++i) {
    const LinkLoad load{DomainId(i), topology.UplinkOf(DomainId(i)), used[i], after[i]};
    if (load.uplink.mbps == 0) continue;
    change.over += load.Over();
    if (load.uplink.hard && load.Over() > 0) {
      change.hard += load.Over();
      if (load.Over() > change.broken.Over()) change.broken = load;
    }
    LinkLoad& before_all = change.hottest_before;
    if (IsHotter(load, load.before, before_all, before_all.before)) before_all = load;
    LinkLoad& after_all = change.hottest_after;
    if (IsHotter(load, load.after, after_all, after_all.after)) after_all = load;
  }
  return change;
}

LinkCosts::LinkCosts(const Cluster& cluster, const PlacementRequest& request,
                     const RoleRequest& role, const LinkUsage::Loads& used)
    : topology_(cluster.topology()),
      used_(used),
      traffic_(cluster.topology(), cluster.shapes().Get(role.shape)),
      there_(cluster.topology().domains().size(), 0),
      members_(role.count) {
  const Shape& shape = cluster.shapes().Get(role.shape);
  for (const PlacedMembers& placed : request.placed) {
    if (!SameTalk(cluster.shapes().Get(placed.shape), shape)) continue;
    there_in_all_ += placed.count;
    const HostId host = topology_.HostOf(placed.node);
    if (!host.valid()) continue;
    auto count = [this](DomainId id) -> int32_t& { return there_[id.index()]; };
    AddUpwards(topology_, host, placed.count, count);
  }
}

LinkLoad LinkCosts::LoadOf(DomainId domain, int32_t members) const {
  LinkLoad load{domain, topology_.UplinkOf(domain), used_[domain.index()], 0};
  const LevelId level = topology_.domain(domain).level;
  const int32_t there = there_[domain.index()];
  load.after = load.before - traffic_.Over(level, there, there_in_all_) +
               traffic_.Over(level, there + members, there_in_all_ + members_);
  return load;
}

int64_t LinkCosts::Over(DomainId domain, int32_t members) const {
  if (topology_.UplinkOf(domain).mbps == 0) return 0;
  // What the others of the role do anywhere is the same for all placements.
  return LoadOf(domain, members).Over() - LoadOf(domain, 0).Over();
}

bool LinkCosts::Forbids(DomainId domain, int32_t members) const {
  const Uplink uplink = topology_.UplinkOf(domain);
  return uplink.mbps > 0 && uplink.hard && LoadOf(domain, members).Over() > 0;
}

LinkedCosts::Cost LinkedCosts::OfDomain(DomainId domain, int32_t members) const {
  return {links_.Over(domain, members),
          fragments_ != nullptr ? fragments_->OfDomain(domain, members) : FragmentCost()};
}

std::optional<LinkedCosts::Cost> LinkedCosts::Above(DomainId domain, int32_t members) const {
  Cost sum;
  for (; domain.valid() && domain != topology_.root(); domain = topology_.domain(domain).parent) {
    if (Forbids(domain, members)) return std::nullopt;
    sum = sum + OfDomain(domain, members);
  }
  return sum;
}

HostId LinkedCosts::CheapestHost(std::span<const Vertex> hosts, int32_t members) const {
  HostId best;
  Cost least;
  DomainId parent;  // of the host before, and what it and coarser ones cost
  std::optional<Cost> above;
  for (const Vertex& vertex : hosts) {
    if (topology_.host(vertex.host).parent != parent) {
      parent = topology_.host(vertex.host).parent;
      above = Above(parent, members);
    }
    if (!above) continue;
    const Cost cost = OfHost(vertex.host, members) + *above;
    if (best.valid() && cost >= least) continue;
    least = cost;
    best = vertex.host;
  }
  return best;
}

}  // namespace phalanx

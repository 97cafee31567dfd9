#include "core/cluster/links.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/cluster/traffic.h"

namespace phalanx {

void LinkUsage::Add(const Talk& talk, NodeId node) {
  if (!talk.gang.valid()) return;
  ++gangs_[talk.gang][{talk.shape, node}];
  changed_.insert(talk.gang);
}

void LinkUsage::Remove(const Talk& talk, NodeId node) {
  if (!talk.gang.valid()) return;
  const auto gang = gangs_.find(talk.gang);
  PHALANX_CHECK(gang != gangs_.end(), "gang {} talks to nobody", talk.gang.value());
  const auto members = gang->second.find({talk.shape, node});
  PHALANX_CHECK(members != gang->second.end(), "no member on node {}", node.value());
  if (--members->second == 0) gang->second.erase(members);
  if (gang->second.empty()) gangs_.erase(gang);
  changed_.insert(talk.gang);
}

LinkUsage::Sends LinkUsage::SendsOf(const Members& members, const Topology& topology,
                                    const ShapeTable& shapes) {
  Sends out;
  std::set<ShapeId> done;
  for (const auto& [first, unused] : members) {
    if (done.contains(first.first)) continue;
    const Shape& shape = shapes.Get(first.first);
    std::map<DomainId, int32_t> inside;
    int32_t all = 0;
    for (const auto& [where, count] : members) {
      if (!SameTalk(shapes.Get(where.first), shape)) continue;
      done.insert(where.first);
      all += count;
      const HostId host = topology.HostOf(where.second);
      if (!host.valid()) continue;  // somewhere outside of all domains
      for (DomainId id = topology.host(host).parent; id != topology.root();
           id = topology.domain(id).parent) {
        inside[id] += count;
      }
    }
    const CrossingTraffic traffic(topology, shape);
    for (const auto& [domain, count] : inside) {
      const int64_t sent = traffic.Over(topology.domain(domain).level, count, all);
      if (sent > 0) out.emplace_back(domain, sent);
    }
  }
  return out;
}

const LinkUsage::Loads& LinkUsage::Of(const Topology& topology, const ShapeTable& shapes) const {
  if (generation_ != topology.generation()) {
    generation_ = topology.generation();
    loads_.assign(topology.domains().size(), 0);
    sends_.clear();
    changed_.clear();
    for (const auto& [gang, members] : gangs_) changed_.insert(gang);
  }
  for (const GangId gang : changed_) {
    Sends& sends = sends_[gang];
    for (const auto& [domain, mbps] : sends) loads_[domain.index()] -= mbps;
    const auto members = gangs_.find(gang);
    if (members == gangs_.end()) {
      sends_.erase(gang);
      continue;
    }
    sends = SendsOf(members->second, topology, shapes);
    for (const auto& [domain, mbps] : sends) loads_[domain.index()] += mbps;
  }
  changed_.clear();
  return loads_;
}

LinkUsage::Loads LinkUsage::Recompute(const Topology& topology, const ShapeTable& shapes) const {
  Loads loads(topology.domains().size(), 0);
  for (const auto& [gang, members] : gangs_) {
    for (const auto& [domain, mbps] : SendsOf(members, topology, shapes)) {
      loads[domain.index()] += mbps;
    }
  }
  return loads;
}

}  // namespace phalanx

// What a placement puts on uplinks above what they carry well: a sum over domains, and so a term of
// the objective (docs/policies/links.md).
//
//     over(v, k) = max(0, used_v + τ(k) − limit_v) − max(0, used_v − limit_v)
//
//     limit 100, used 70:   τ = 20: over 0     τ = 50: over 20     used 130, τ = 50: over 50
//
// Of a hard limit nothing of that may be added.
#ifndef PHALANX_CORE_PLACE_LINK_COSTS_H_
#define PHALANX_CORE_PLACE_LINK_COSTS_H_

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/cluster/traffic.h"
#include "core/place/placement.h"
#include "core/place/vertex_costs.h"
#include "core/place/vertices.h"
#include "phalanx/ids.h"

namespace phalanx {

// Whether members of the request say what they send, and some level what its uplinks carry. Nothing
// else here costs anything where it is not so.
bool LinksCount(const Cluster& cluster, const PlacementRequest& request);

// One uplink and what it carries, in MB/s.
struct LinkLoad {
  DomainId domain;  // None: there is none
  Uplink uplink;
  int64_t before = 0;
  int64_t after = 0;

  int64_t Over() const {
    return std::max<int64_t>(0, after - uplink.mbps) - std::max<int64_t>(0, before - uplink.mbps);
  }
};

// What a placement adds, over all uplinks.
struct LinkChange {
  int64_t over = 0;  // MB/s above the limits
  int64_t hard = 0;  // the same of hard limits, where it is more than before
  // Of uplinks with a declared limit, the one that is used most for what it carries, the first on a
  // tie: before, and after.
  LinkLoad hottest_before;
  LinkLoad hottest_after;
  LinkLoad broken;  // the hard limit that is exceeded most
};
// REQUIRES: LinksCount(). O(domains + members x levels).
LinkChange LinkChangeOf(const Cluster& cluster, const PlacementRequest& request,
                        const std::vector<SlotsOnHost>& slots);

// The members of one role, domain by domain.
class LinkCosts {
 public:
  // `used`: what uplinks carry without the members. REQUIRES: LinksCount(); cluster and `used`
  // outlive this and stay as they are.
  LinkCosts(const Cluster& cluster, const PlacementRequest& request, const RoleRequest& role,
            const LinkUsage::Loads& used);

  // REQUIRES (of all): 0 < members <= those of the role.
  int64_t Over(DomainId domain, int32_t members) const;
  // The uplink has a hard limit that so many members below it would exceed.
  bool Forbids(DomainId domain, int32_t members) const;

 private:
  LinkLoad LoadOf(DomainId domain, int32_t members) const;

  const Topology& topology_;
  const LinkUsage::Loads& used_;
  const CrossingTraffic traffic_;
  std::vector<int32_t> there_;  // by domain, members that it talks to and that take room already
  int32_t there_in_all_ = 0;
  int32_t members_ = 0;
};

// Links first, then fragmentation.
struct LinkedCost {
  int64_t over = 0;
  FragmentCost fragments;

  friend LinkedCost operator+(const LinkedCost& a, const LinkedCost& b) {
    return {a.over + b.over, a.fragments + b.fragments};
  }
  friend auto operator<=>(const LinkedCost&, const LinkedCost&) = default;
};

// The terms behind what is touched, where links count (as VertexCosts, where they do not).
class LinkedCosts {
 public:
  using Cost = LinkedCost;
  static constexpr bool kMayForbid = true;

  // `fragments`: null: fragmentation does not count. Without `limits` hard ones are as soft ones.
  LinkedCosts(const Topology& topology, const LinkCosts& links, const VertexCosts* fragments,
              bool limits)
      : topology_(topology), links_(links), fragments_(fragments), limits_(limits) {}

  Cost OfHost(HostId host, int32_t members) const {
    return {0, fragments_ != nullptr ? fragments_->OfHost(host, members) : FragmentCost()};
  }
  Cost OfDomain(DomainId domain, int32_t members) const;
  bool Forbids(DomainId domain, int32_t members) const {
    return limits_ && links_.Forbids(domain, members);
  }
  // Of a domain and all coarser ones; nullopt: one of them forbids it.
  std::optional<Cost> Above(DomainId domain, int32_t members) const;
  // None: it is forbidden on all of them.
  HostId CheapestHost(std::span<const Vertex> hosts, int32_t members) const;

 private:
  const Topology& topology_;
  const LinkCosts& links_;
  const VertexCosts* const fragments_;
  const bool limits_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_LINK_COSTS_H_

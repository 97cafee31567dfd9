#include "core/place/across.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/crossing.h"
#include "core/place/free_slots.h"
#include "core/place/link_costs.h"
#include "core/place/position.h"
#include "core/place/refusal.h"
#include "core/place/roles.h"
#include "core/place/vertex_costs.h"

namespace phalanx {
namespace {

// By domain of a crossing level, the sum of a table over its hosts.
std::vector<int64_t> SumsOf(const Crossing& crossing, const SlotTree& slots) {
  std::vector<int64_t> sums(crossing.domains.size(), 0);
  for (size_t host = 0; host < slots.hosts(); ++host) {
    const uint32_t domain = crossing.domain_of[host];
    if (domain != Crossing::kNone) sums[domain] += slots.values()[host];
  }
  return sums;
}

// The hosts of the request that have the level; `lacking` counts the others.
std::vector<HostRange> HostsWith(const Crossing& crossing, const std::vector<HostRange>& within,
                                 int32_t* lacking) {
  std::vector<HostRange> out;
  for (const HostRange& range : within) {
    for (uint32_t host = range.first.value(); host < range.end(); ++host) {
      if (crossing.domain_of[host] == Crossing::kNone) {
        ++*lacking;
      } else if (!out.empty() && out.back().end() == host) {
        ++out.back().count;
      } else {
        out.push_back({HostId(host), 1});
      }
    }
  }
  return out;
}

using Search = std::function<PlacementAnswer(const PlacementRequest&)>;

// One request and the domains of one crossing level.
class AcrossSearch {
 public:
  // `inside`: how a request is placed on the hosts of one domain.
  AcrossSearch(const Cluster& cluster, const PlacementRequest& request, const Crossing& crossing,
               Search inside)
      : cluster_(cluster),
        crossing_(crossing),
        request_(request),
        hosts_(HostsWithin(cluster.topology(), request)),
        inside_(std::move(inside)),
        roles_(request.roles) {
    if (roles_.size() > 1) SortLargestFirst(cluster, roles_);
    for (const RoleRequest& role : roles_) {
      room_.push_back(SumsOf(crossing, FreeSlots(cluster, request, role.shape)));
      work_ += static_cast<int64_t>(crossing.domain_of.size());
    }
  }

  // The best of all domains; nullopt if none takes the gang.
  std::optional<PlacementAnswer> Best() {
    std::optional<PlacementAnswer> best;
    for (size_t domain = 0; domain < crossing_.domains.size(); ++domain) {
      if (!HasRoom(domain)) continue;
      if (work_ > request_.max_cells) {
        proven_ = ProvenThrough::kNothing;
        break;
      }
      PlacementAnswer answer = TryIn(domain);
      if (answer.placement() == nullptr) continue;
      if (!best || IsBetter(*answer.placement(), *best->placement())) best = std::move(answer);
    }
    if (!best) return std::nullopt;
    auto& placement = std::get<Placement>(best->result);
    placement.proven = std::max(ProvenThrough::kFeasibility, std::min(placement.proven, proven_));
    // Between these domains fragmentation is not looked at.
    if (request_.fragmentation)
      placement.proven = std::min(placement.proven, ProvenThrough::kOverrun);
    best->work_units = work_;
    return best;
  }

  // REQUIRES: Best() found nothing.
  PlacementAnswer Refusal() const {
    int32_t lacking = 0;
    PlacementRequest anywhere = request_;
    anywhere.within = HostsWith(crossing_, hosts_, &lacking);
    PlacementAnswer answer = inside_(anywhere);
    answer.work_units += work_;
    if (const auto never = NeverInOne()) {
      answer = InNoDomain(*never, anywhere);
    } else if (answer.placement() != nullptr) {
      answer = InNoDomain(ShortOfRoom(), anywhere);
    }
    AddLacking(lacking, std::get<Reason>(answer.result));
    return answer;
  }

 private:
  const std::string& LevelName() const {
    return cluster_.topology().levels()[crossing_.level.index()].name;
  }

  bool IsBetter(const Placement& a, const Placement& b) const {
    if (a.touched != b.touched) return a.touched < b.touched;
    if (LinksCount(cluster_, request_)) {
      const int64_t over = LinkChangeOf(cluster_, request_, a.slots).over;
      const int64_t others = LinkChangeOf(cluster_, request_, b.slots).over;
      if (over != others) return over < others;
    }
    // As the search inside has them, so that the best of all domains is the best.
    const auto fragments = FragmentsOf(cluster_, request_, a);
    const auto others = FragmentsOf(cluster_, request_, b);
    if (fragments != others) return *fragments < *others;
    return LiesBefore(cluster_.topology(), roles_, a, b);
  }

  bool HasRoom(size_t domain) const {
    for (size_t role = 0; role < room_.size(); ++role) {
      if (room_[role][domain] < roles_[role].count) return false;
    }
    return true;
  }

  PlacementAnswer TryIn(size_t domain) {
    PlacementRequest request = request_;
    request.within = Intersect(hosts_, crossing_.domains[domain].hosts);
    PlacementAnswer answer = inside_(request);
    work_ += answer.work_units;
    const Placement* placement = answer.placement();
    proven_ = std::min(proven_, placement != nullptr        ? placement->proven
                                : Proven(*answer.refusal()) ? ProvenThrough::kAll
                                                            : ProvenThrough::kNothing);
    return answer;
  }

  static bool Proven(const Reason& refusal) { return refusal.proven != ProvenThrough::kNothing; }

  // The first role that fits the empty cluster, but none of its domains: what is impossible for
  // ever is told rather than what is short now.
  std::optional<size_t> NeverInOne() const {
    for (size_t role = 0; role < roles_.size(); ++role) {
      const std::vector<int64_t> ever = Ever(roles_[role].shape);
      const int64_t sum = std::accumulate(ever.begin(), ever.end(), int64_t{0});
      const int32_t count = roles_[role].count;
      if (std::ranges::max(ever) < count && count <= sum) return role;
    }
    return std::nullopt;
  }

  // The first role that no domain has room for; else the first.
  size_t ShortOfRoom() const {
    for (size_t role = 0; role < roles_.size(); ++role) {
      if (std::ranges::max(room_[role]) < roles_[role].count) return role;
    }
    return 0;
  }

  // The members fit, but not in one domain.
  PlacementAnswer InNoDomain(size_t blamed, const PlacementRequest& anywhere) const {
    const auto best =
        static_cast<size_t>(std::ranges::max_element(room_[blamed]) - room_[blamed].begin());
    const RoleRequest& role = roles_[blamed];
    Reason reason;
    reason.code = ReasonCode::kTopology;
    reason.have = room_[blamed][best];
    reason.need = role.count;
    reason.level = LevelName();
    reason.domain = crossing_.domains[best].path;
    reason.never = std::ranges::max(Ever(role.shape)) < role.count;
    if (proven_ == ProvenThrough::kNothing) reason.proven = ProvenThrough::kNothing;
    reason.exclusions = CountExclusions(cluster_, anywhere, role.shape, LevelId::None());
    return {std::move(reason), role.shape, work_};
  }

  std::vector<int64_t> Ever(ShapeId shape) const {
    return SumsOf(crossing_, Within(cluster_.topology(), request_, cluster_.BlameOf(shape).ever));
  }

  void AddLacking(int32_t hosts, Reason& reason) const {
    if (hosts == 0) return;
    reason.exclusions.push_back({ExclusionCause::kLevelMissing, LevelName(), hosts});
    std::ranges::sort(reason.exclusions, [](const Exclusion& a, const Exclusion& b) {
      return a.nodes != b.nodes ? a.nodes > b.nodes : a < b;
    });
  }

  const Cluster& cluster_;
  const Crossing& crossing_;
  const PlacementRequest request_;
  const std::vector<HostRange> hosts_;
  const Search inside_;
  std::vector<RoleRequest> roles_;          // in an order that ids decide nothing of
  std::vector<std::vector<int64_t>> room_;  // by role, by domain
  ProvenThrough proven_ = ProvenThrough::kAll;
  int64_t work_ = 0;
};

// Segments are kept whole in the parts of a crossing domain that the tree has. That is never wrong,
// but a refusal for want of such a part proves nothing.
bool CutsSegments(const Cluster& cluster, const PlacementRequest& request) {
  const Topology& topology = cluster.topology();
  return !request.joining && std::ranges::any_of(request.roles, [&](const RoleRequest& role) {
    const Segment& segment = cluster.shapes().Get(role.shape).segment;
    return segment.size > 1 &&
           topology.CrossingOf(topology.FindLevel(segment.required_level)) != nullptr;
  });
}

PlacementAnswer PlaceWithin(const Cluster& cluster, const PlacementRequest& request,
                            LevelId required) {
  const Crossing* crossing = cluster.topology().CrossingOf(required);
  if (crossing == nullptr) return PlaceInTree(cluster, request, required);
  AcrossSearch search(cluster, request, *crossing, [&](const PlacementRequest& inside) {
    return PlaceInTree(cluster, inside, LevelId::None());
  });
  auto best = search.Best();
  return best ? *std::move(best) : search.Refusal();
}

}  // namespace

PlacementAnswer PlaceAcross(const Cluster& cluster, const PlacementRequest& request,
                            LevelId required, LevelId preferred) {
  const auto inside = [&](const PlacementRequest& it) {
    return PlaceWithin(cluster, it, required);
  };
  const Crossing* wish = cluster.topology().CrossingOf(preferred);
  if (wish != nullptr && preferred != required) {
    if (auto best = AcrossSearch(cluster, request, *wish, inside).Best()) return *std::move(best);
  }
  PlacementAnswer answer = inside(request);
  Reason* refusal = std::get_if<Reason>(&answer.result);
  if (refusal && refusal->code == ReasonCode::kTopology && CutsSegments(cluster, request)) {
    refusal->never = false;
    refusal->proven = ProvenThrough::kNothing;
  }
  return answer;
}

}  // namespace phalanx

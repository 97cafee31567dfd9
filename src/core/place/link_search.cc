#include "core/place/link_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/place/free_slots.h"

namespace phalanx {
namespace {

LinkChange ChangeOf(const LinkQuestion& question, const EqualPlacement& placement) {
  std::vector<SlotsOnHost> slots;
  for (const HostShare& share : placement.taken) {
    slots.push_back({share.host, question.role.shape, share.members});
  }
  return LinkChangeOf(question.cluster, question.request, slots);
}

// By the placement that would be the best if the limit were not there.
Reason BrokenLimit(const Topology& topology, const LinkLoad& broken, ProvenThrough proven) {
  Reason reason;
  reason.code = ReasonCode::kUplink;
  reason.need = broken.after - broken.before;
  reason.have = std::max<int64_t>(broken.uplink.mbps - broken.before, 0);
  reason.level = topology.levels()[topology.domain(broken.domain).level.index()].name;
  reason.domain = topology.Path(broken.domain);
  reason.proven = proven;
  return reason;
}

// Whether an empty cluster would not do either. Adds to `cells`.
bool NeverFits(const LinkQuestion& question, int64_t& cells) {
  const Topology& topology = question.query.topology;
  const LinkUsage::Loads nothing(topology.domains().size(), 0);
  const LinkCosts links(question.cluster, question.request, question.role, nothing);
  const LinkedCosts costs(topology, links, nullptr, /*limits=*/true);
  const SlotTree ever = EverSlots(question.cluster, question.request, question.role.shape);
  const TouchedBefore untouched;
  const TreeQuery query{topology, ever, question.role.count, untouched};
  const LimitedPlacement empty =
      PlaceWithinLimits(query, question.scope, question.request.max_cells, costs);
  cells += empty.cells;
  return empty.finished && !empty.placed;
}

}  // namespace

std::optional<Reason> PlaceOnLinks(const LinkQuestion& question, EqualPlacement& found) {
  // What is there already may send less than before, so adding nothing is not the best then.
  if (question.request.placed.empty() && ChangeOf(question, found).over == 0) return std::nullopt;
  const TreeQuery& query = question.query;
  const Topology& topology = query.topology;
  const LinkCosts links(question.cluster, question.request, question.role,
                        question.cluster.LinkLoads());
  const int64_t max_cells = question.request.max_cells;
  const bool segments = query.segment > 1 && query.segment_level.valid();
  if (!segments) {
    const LinkedCosts costs(topology, links, question.fragments, /*limits=*/false);
    const int64_t cells = found.cells;
    found = PlaceEqual(query, question.candidates, max_cells, nullptr, &costs);
    found.cells += cells;
    if (ChangeOf(question, found).hard == 0) return std::nullopt;
  }
  const LinkedCosts costs(topology, links, question.fragments, /*limits=*/true);
  LimitedPlacement limited = PlaceWithinLimits(query, question.scope, max_cells, costs);
  limited.cells += found.cells;
  if (limited.placed) {
    found = *std::move(limited.placed);
  } else {
    found.proven = std::min(found.proven, ProvenThrough::kCounts);
  }
  found.cells = limited.cells;
  const LinkChange change = ChangeOf(question, found);
  if (change.hard == 0) return std::nullopt;
  // Segments may be whole on a coarser level as well, and what is there already sends on its own.
  const bool proven = limited.finished && query.segment <= 1 && question.request.placed.empty();
  Reason reason = BrokenLimit(topology, change.broken,
                              proven ? ProvenThrough::kFeasibility : ProvenThrough::kNothing);
  if (proven) reason.never = NeverFits(question, found.cells);
  return reason;
}

void CheckLinks(const Cluster& cluster, const PlacementRequest& request, ShapeId about,
                PlacementAnswer& answer) {
  auto* placement = std::get_if<Placement>(&answer.result);
  if (placement == nullptr) return;
  const LinkChange change = LinkChangeOf(cluster, request, placement->slots);
  if (change.hard > 0) {
    answer.result = BrokenLimit(cluster.topology(), change.broken, ProvenThrough::kNothing);
    answer.refused = about;
  } else if (!request.placed.empty() || change.over > 0) {
    placement->proven = std::min(placement->proven, ProvenThrough::kCounts);
  }
}

}  // namespace phalanx

#include <algorithm>
#include <utility>
#include <vector>

#include "core/place/assemble.h"
#include "core/place/segments.h"
#include "core/place/tree_query.h"
#include "core/place/vertices.h"
#include "sim/baseline/baseline.h"
#include "sim/baseline/residual.h"

namespace phalanx::sim {
namespace {

// A vertex of the tree with the slots below it.
struct Room {
  Vertex vertex;
  int64_t slots = 0;
};

class Rule {
 public:
  Rule(const Cluster& cluster, const PlacementRequest& request, LevelId required)
      : cluster_(cluster),
        request_(request),
        topology_(cluster.topology()),
        required_(required),
        scope_(topology_, required) {}

  std::optional<Placement> Run() const {
    if (!SegmentsMakeSense()) return std::nullopt;
    if (request_.roles.empty()) {
      return Assemble(topology_, request_, {}, ProvenThrough::kFeasibility);
    }
    for (const LevelId level : Levels()) {
      for (const Room& room : TightestFirst(level)) {
        Residual residual(cluster_, request_);
        if (!PlaceRoles(room.vertex, residual)) continue;
        return Assemble(topology_, request_, residual.Finish(), ProvenThrough::kFeasibility);
      }
    }
    return std::nullopt;
  }

 private:
  const Segment& SegmentOf(const RoleRequest& role) const {
    return cluster_.shapes().Get(role.shape).segment;
  }

  bool SegmentsMakeSense() const {
    return std::all_of(request_.roles.begin(), request_.roles.end(),
                       [this](const RoleRequest& role) {
                         const Segment& segment = SegmentOf(role);
                         const bool unknown = !segment.required_level.empty() &&
                                              !topology_.FindLevel(segment.required_level).valid();
                         return segment.size == 1 || (role.count % segment.size == 0 && !unknown);
                       });
  }

  // Where one domain is to hold all: from the preferred level, or the required one, to coarser
  // ones.
  std::vector<LevelId> Levels() const {
    std::vector<LevelId> levels = scope_.FinestFirst();
    const LevelId preferred = topology_.FindLevel(request_.preferred_level);
    for (const LevelId first : {preferred, required_}) {
      const auto from = std::find(levels.begin(), levels.end(), first);
      if (!first.valid() || from == levels.end()) continue;
      levels.erase(levels.begin(), from);
      break;
    }
    return levels;
  }

  // Whole segments count, and nothing else.
  SlotTree SlotsOf(const RoleRequest& role, const Residual& residual) const {
    const Segment& segment = SegmentOf(role);
    return InSegments(topology_, residual.Slots(role.shape),
                      topology_.FindLevel(segment.required_level), segment.size);
  }

  // The vertices of a level with room for each role by itself; equal ones depth first.
  std::vector<Room> TightestFirst(LevelId level) const {
    const Residual nothing(cluster_, request_);
    std::vector<SlotTree> slots;
    for (const RoleRequest& role : request_.roles) slots.push_back(SlotsOf(role, nothing));
    std::vector<Room> rooms;
    for (const Vertex& vertex : scope_.At(level, slots.front(), request_.roles.front().count)) {
      Room room{vertex};
      bool fits = true;
      for (size_t i = 0; i < slots.size(); ++i) {
        fits &= vertex.Slots(slots[i]) >= request_.roles[i].count;
        room.slots += vertex.Slots(slots[i]);
      }
      if (fits) rooms.push_back(room);
    }
    std::stable_sort(rooms.begin(), rooms.end(),
                     [](const Room& a, const Room& b) { return a.slots < b.slots; });
    return rooms;
  }

  bool PlaceRoles(const Vertex& vertex, Residual& residual) const {
    for (const RoleRequest& role : request_.roles) {
      const SlotTree slots = SlotsOf(role, residual);
      if (vertex.Slots(slots) < role.count) return false;
      Split(vertex, slots, role.count, role.shape, residual);
    }
    return true;
  }

  // REQUIRES: the vertex has slots for the members.
  void Split(const Vertex& vertex, const SlotTree& slots, int64_t members, ShapeId shape,
             Residual& residual) const {
    if (vertex.host.valid()) {
      residual.Take(vertex.host, shape, static_cast<int32_t>(members));
      return;
    }
    std::vector<Room> children = LargestFirst(vertex.domain, slots);
    for (auto child = children.begin(); members > 0; ++child) {
      const bool last = child->slots >= members;
      const Room& chosen = last ? SmallestThatTakes(child, children.end(), members) : *child;
      const int64_t here = std::min(chosen.slots, members);
      Split(chosen.vertex, slots, here, shape, residual);
      members -= here;
    }
  }

  // Equal ones depth first.
  std::vector<Room> LargestFirst(DomainId id, const SlotTree& slots) const {
    std::vector<Room> children;
    for (const DomainId child : topology_.domain(id).children) {
      if (slots.Sum(child) > 0) children.push_back({{child, HostId::None()}, slots.Sum(child)});
    }
    for (const HostSlots& host : DirectHosts(topology_, slots, id)) {
      children.push_back({{DomainId::None(), host.host}, host.slots});
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Room& a, const Room& b) { return a.slots > b.slots; });
    return children;
  }

  // Of children by falling size, the first of the smallest that have room for `members`.
  static const Room& SmallestThatTakes(std::vector<Room>::const_iterator first,
                                       std::vector<Room>::const_iterator end, int64_t members) {
    auto best = first;
    for (auto child = first; child != end && child->slots >= members; ++child) {
      if (child->slots < best->slots) best = child;
    }
    return *best;
  }

  const Cluster& cluster_;
  const PlacementRequest& request_;
  const Topology& topology_;
  const LevelId required_;
  const RequiredScope scope_;
};

}  // namespace

std::optional<Placement> NestedBestFit(const Cluster& cluster, const PlacementRequest& request,
                                       LevelId required) {
  return Rule(cluster, request, required).Run();
}

}  // namespace phalanx::sim

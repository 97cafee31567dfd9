// Dense, strongly typed ids.
//
// An id is an index into a table of its kind and means nothing elsewhere. Ids are handed out in the
// order of arrival, so no decision may be ordered by them alone: order by what the user sees
// (depth-first position of a host, creation time and name of a gang) and use the id only to find
// it.
#ifndef PHALANX_IDS_H_
#define PHALANX_IDS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace phalanx {

template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(uint32_t value) : value_(value) {}

  static constexpr StrongId None() { return StrongId(); }
  constexpr bool valid() const { return value_ != kNone; }
  constexpr uint32_t value() const { return value_; }
  constexpr size_t index() const { return value_; }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t value_ = kNone;
};

// A node by its name; never reused for another name.
using NodeId = StrongId<struct NodeTag>;
// A pod, ours or foreign.
using PodId = StrongId<struct PodTag>;
using GangId = StrongId<struct GangTag>;
// The name of a resource.
using ResourceId = StrongId<struct ResourceTag>;
// Equal requests and filters of members; see core/cluster/shapes.h.
using ShapeId = StrongId<struct ShapeTag>;
// Position of a level in a Topology, 0 = coarsest.
using LevelId = StrongId<struct LevelTag>;
// A domain of a Topology generation, numbered depth first.
using DomainId = StrongId<struct DomainTag>;
// A host of a Topology generation, numbered depth first.
using HostId = StrongId<struct HostTag>;

}  // namespace phalanx

template <class Tag>
struct std::hash<phalanx::StrongId<Tag>> {
  size_t operator()(phalanx::StrongId<Tag> id) const noexcept { return id.value(); }
};

#endif  // PHALANX_IDS_H_

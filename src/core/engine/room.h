// Who takes room where, for a gang that waits for it.
#ifndef PHALANX_CORE_ENGINE_ROOM_H_
#define PHALANX_CORE_ENGINE_ROOM_H_

#include <optional>
#include <utility>
#include <vector>

#include "core/engine/state.h"
#include "core/place/placement.h"
#include "phalanx/help.h"

namespace phalanx {

std::vector<PodId> PodsOf(const Gang& gang);

// While it lives, nothing of the pods is booked: as if they had ended. Puts everything back.
class WithoutPods {
 public:
  WithoutPods(State& state, const std::vector<PodId>& pods);
  ~WithoutPods();
  WithoutPods(const WithoutPods&) = delete;
  WithoutPods& operator=(const WithoutPods&) = delete;

 private:
  State& state_;
  std::vector<std::pair<PodId, Booking>> taken_;
  // As it was: who books a part of a device anew may get another one.
  std::optional<SharedDevices> shared_;
};

// Other gangs that take room, `members` not filled in: those that are expected to end first, then
// those of which nobody knows, fewest pods first. O(gangs).
std::vector<RoomHolder> GangsWithRoom(const State& state, GangId but);

// The best domain of each level from fine to coarse, and all nodes together, for a role of the
// request. Who holds room is told of domains of up to 4,096 hosts. O(pods + levels x pods there).
// REQUIRES: the topology is up to date.
std::vector<LevelRoom> RoomByLevel(State& state, GangId gang, const PlacementRequest& request,
                                   const RoleRequest& role);

// How many members the largest host that the request may use takes when it is empty.
int64_t MostOnOneHost(const State& state, const PlacementRequest& request, ShapeId shape);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_ROOM_H_

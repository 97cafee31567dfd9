// Refusals that still hold, so that a class of equal requests costs one verdict per capacity event.
//
// A request class is what decides feasibility: shapes with counts, levels, host range, members that
// take room already, and whether the others join them. The hosts that are closed to a gang that
// starts are a function of its exclusive level and of who is there. A refusal holds until something
// happens that can raise what hosts take (NoteRelease): more usage, or another host left out, never
// turns a refusal into a fit.
#ifndef PHALANX_CORE_PLAN_REFUSALS_H_
#define PHALANX_CORE_PLAN_REFUSALS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/place/placement.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct RequestClass {
  std::vector<std::pair<ShapeId, int32_t>> roles;  // by shape
  std::string required_level;
  std::vector<HostRange> within;
  bool joining = false;
  std::string exclusive_level;
  std::vector<PlacedMembers> placed;
  std::vector<ClosedHosts> closed;  // where members join

  friend auto operator<=>(const RequestClass&, const RequestClass&) = default;
};

RequestClass ClassOf(const PlacementRequest& request);

class Refusals {
 public:
  // Something can help: all refusals are void.
  void NoteRelease();
  // The refusal of this class, nullptr if none holds.
  const Reason* Find(const RequestClass& request) const;
  // The shape that this refusal is about; None if none holds.
  ShapeId About(const RequestClass& request) const;
  void Remember(const RequestClass& request, const Reason& reason, ShapeId about = {});

  uint64_t epoch() const { return epoch_; }
  size_t size() const { return refused_.size(); }

 private:
  uint64_t epoch_ = 0;
  struct Refusal {
    Reason reason;
    ShapeId about;
  };
  std::map<RequestClass, Refusal> refused_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_REFUSALS_H_

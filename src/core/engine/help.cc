#include "core/engine/help.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/neighbours.h"
#include "core/engine/planning.h"
#include "core/engine/room.h"
#include "core/place/placement.h"
#include "core/place/refusal.h"

namespace phalanx {
namespace {

// Cells of each what-if: whether it fits is known with few.
constexpr int64_t kCells = 1 << 16;

bool WaitsForRoom(ReasonCode code) {
  switch (code) {
    case ReasonCode::kCapacity:
    case ReasonCode::kFragmentation:
    case ReasonCode::kTopology:
    case ReasonCode::kSpread:
    case ReasonCode::kUplink:
    case ReasonCode::kSharedResource:
    case ReasonCode::kNoSuchNode:
    case ReasonCode::kLevelUnknown:
      return true;
    default:
      return false;
  }
}

class HelpSearch {
 public:
  HelpSearch(State& state, GangId id, PlacementRequest request)
      : state_(state), id_(id), request_(std::move(request)) {
    request_.max_cells = kCells;
  }

  HelpView Run() {
    const PlacementAnswer answer = Place(state_.cluster, request_);
    if (answer.placement() != nullptr) return FitsAlone();
    if (answer.refused.valid()) {
      role_ = RoleOf(answer.refused);
      view_.levels = RoomByLevel(state_, id_, request_, role_);
    }
    CoarserLevel();
    WithoutRules();
    FewerMembers(*answer.refusal());
    if (!answer.refusal()->never) {
      GangEnds();
      MoreRoom();
    }
    return std::move(view_);
  }

 private:
  // What is in the way, if anything is, are the other gangs of its group.
  HelpView FitsAlone() {
    const Group& group = state_.gangs.Get(id_).terms.group;
    view_.fits = group.required_level.empty();
    if (!view_.fits) view_.helps.push_back({.kind = HelpKind::kNoGroup});
    if (!view_.fits && !request_.roles.empty()) {
      view_.levels = RoomByLevel(state_, id_, request_, request_.roles.front());
    }
    return std::move(view_);
  }

  bool Fits(const PlacementRequest& request) const {
    return Place(state_.cluster, request).placement() != nullptr;
  }

  RoleRequest RoleOf(ShapeId shape) const {
    for (const RoleRequest& role : request_.roles) {
      if (role.shape == shape) return role;
    }
    return {};
  }

  void CoarserLevel() {
    const Topology& topology = state_.cluster.topology();
    const LevelId required = topology.FindLevel(request_.required_level);
    PlacementRequest other = request_;
    for (uint32_t i = required.valid() ? required.value() : 0; i-- > 0;) {
      other.required_level = topology.levels()[i].name;
      if (!Fits(other)) continue;
      view_.helps.push_back({.kind = HelpKind::kCoarserLevel, .level = other.required_level});
      return;
    }
    if (request_.required_level.empty()) return;
    other.required_level.clear();
    if (Fits(other)) view_.helps.push_back({.kind = HelpKind::kNoLevel});
  }

  void WithoutRules() {
    bool segments = false;
    bool spread = false;
    for (const RoleRequest& role : request_.roles) {
      const Shape& shape = state_.cluster.shapes().Get(role.shape);
      segments |= shape.segment.size > 1;
      spread |= !shape.spread.level.empty();
    }
    const auto without = [&](bool there, HelpKind kind, auto change) {
      if (!there) return;
      PlacementRequest other = request_;
      change(other);
      if (Fits(other)) view_.helps.push_back({.kind = kind});
    };
    without(segments, HelpKind::kNoSegments,
            [](PlacementRequest& other) { other.waived.segments = true; });
    without(spread, HelpKind::kNoSpread,
            [](PlacementRequest& other) { other.waived.spread = true; });
    without(!request_.exclusive_level.empty(), HelpKind::kShared,
            [&](PlacementRequest& other) { Share(other); });
  }

  // What others keep for themselves stays closed.
  void Share(PlacementRequest& other) const {
    Gang& gang = state_.gangs.Get(id_);
    const std::string level = std::exchange(gang.terms.exclusive_level, "");
    other.closed.clear();
    CloseHosts(state_, gang, other);
    gang.terms.exclusive_level = level;
  }

  // The best domain of the level in one domain of which all have to be; nullptr: not known.
  const LevelRoom* RequiredRoom() const {
    const Topology& topology = state_.cluster.topology();
    const LevelId required = topology.FindLevel(request_.required_level);
    const std::string level = required.valid() ? LevelName(topology, required) : "cluster";
    const auto room = std::find_if(view_.levels.begin(), view_.levels.end(),
                                   [&](const LevelRoom& other) { return other.level == level; });
    return room == view_.levels.end() ? nullptr : &*room;
  }

  // Of members that are alike it has been counted how many find room.
  void FewerMembers(const Reason& reason) {
    const LevelRoom* room = RequiredRoom();
    if (request_.roles.size() != 1 || request_.joining || room == nullptr) return;
    if (reason.code == ReasonCode::kUplink) return;
    const int64_t members = std::min(room->have, reason.have);
    if (members <= 0 || members >= request_.roles.front().count) return;
    PlacementRequest fewer = request_;
    fewer.roles.front().count = static_cast<int32_t>(members);
    if (Fits(fewer)) view_.helps.push_back({.kind = HelpKind::kFewerMembers, .amount = members});
  }

  // The first to end of those by whose end alone the gang would start; those of which nobody knows
  // when they end come last, the smallest first.
  void GangEnds() {
    std::vector<RoomHolder> holders = GangsWithRoom(state_, id_);
    view_.more_gangs = holders.size() > kMostGangsTried;
    holders.resize(std::min(holders.size(), kMostGangsTried));
    for (const RoomHolder& holder : holders) {
      const Gang& gang = state_.gangs.Get(state_.gangs.Find(holder.gang));
      const WithoutPods gone(state_, PodsOf(gang));
      PlacementRequest other = request_;
      other.closed.clear();
      CloseHosts(state_, state_.gangs.Get(id_), other);
      if (!Fits(other)) continue;
      Help& help = view_.helps.emplace_back();
      help.kind = HelpKind::kGangEnds;
      help.gang = holder.gang;
      help.until = holder.until;
      return;
    }
  }

  // Members without further rules need nothing but slots, all of them in one domain.
  void MoreRoom() {
    const LevelRoom* room = RequiredRoom();
    if (request_.roles.size() != 1 || room == nullptr) return;
    if (room->have >= room->need || room->when_empty < room->need) return;
    const Shape& shape = state_.cluster.shapes().Get(role_.shape);
    if (shape.segment.size > 1 || !shape.spread.level.empty()) return;
    const int64_t most = std::max<int64_t>(MostOnOneHost(state_, request_, role_.shape), 1);
    Help& help = view_.helps.emplace_back();
    help.kind = HelpKind::kMoreRoom;
    help.level = room->level;
    help.domain = room->domain;
    help.amount = room->need - room->have;
    help.hosts = (help.amount + most - 1) / most;
  }

  State& state_;
  const GangId id_;
  PlacementRequest request_;
  RoleRequest role_;  // that the refusal is about
  HelpView view_;
};

}  // namespace

std::optional<HelpView> WhatWouldHelp(State& state, const GangKey& key) {
  const GangId id = state.gangs.Find(key);
  if (!id.valid() || !WaitsForRoom(state.gangs.Get(id).reason.code)) return std::nullopt;
  HelpView view;
  view.later = !state.cluster.topology_current();
  if (view.later) return view;
  return HelpSearch(state, id, LastRequest(state, state.gangs.Get(id))).Run();
}

}  // namespace phalanx

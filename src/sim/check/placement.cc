#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/judge/exclusive.h"
#include "core/judge/group.h"
#include "core/judge/judge.h"
#include "core/judge/segments.h"
#include "core/judge/spread.h"
#include "core/judge/uplinks.h"
#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class PlacementCheck : public Check {
 public:
  PlacementCheck(World& world, const Booked& booked) : Check("placement", world, booked) {}

  void AfterCommand(const Command&, const Outcome& outcome) override {
    std::vector<judge::Assignment> taken;  // by Admits of the same outcome
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) Judge(*admit, taken);
    }
  }

 private:
  judge::World Before(const std::vector<judge::Assignment>& taken) const {
    judge::World before;
    before.node_scope = world_.brain().config().node_scope;
    for (const auto& [name, node] : booked_.nodes()) before.nodes.push_back(node);
    before.topologies = judge::TopologiesOf(booked_.objects());
    for (const judge::Assignment& member : taken) {
      before.occupants.push_back({member.node, member.pod.requests});
    }
    for (const auto& [uid, pod] : booked_.pods()) {
      const std::string& node = pod.plan != 0 ? pod.held_node : pod.node;
      if (!node.empty() && !pod.ended) before.occupants.push_back({node, pod.object.requests});
    }
    return before;
  }

  void Judge(const Admit& admit, std::vector<judge::Assignment>& taken) {
    const judge::World before = Before(taken);
    std::vector<judge::Assignment> gang;
    for (const AdmitMember& member : admit.members) {
      const Booked::Pod* pod = booked_.Find(member.pod_uid);
      if (!pod) {
        Fail(KeyText(admit.gang),
             fmt::format("plan {} names pod {}, which is not there", admit.plan, member.pod_uid));
        continue;
      }
      gang.push_back({pod->object, member.node, member.rank});
    }
    std::vector<std::string> wrong = judge::CheckPlacement(before, gang);
    JudgeNeighbours(admit.gang, before, gang, taken, wrong);
    taken.insert(taken.end(), gang.begin(), gang.end());
    // Members that join what is bound already come as they find room.
    const std::optional<GangView> view = world_.brain().engine().Gang(admit.gang);
    if (!view || view->bound == 0) {
      for (std::string& text : judge::CheckSegments(before, gang)) wrong.push_back(std::move(text));
    }
    for (const std::string& text : wrong) {
      Fail(KeyText(admit.gang), fmt::format("plan {}: {}", admit.plan, text));
    }
  }

  // Everybody who has a place already, and is in a gang.
  std::vector<judge::Assignment> Placed(const std::vector<judge::Assignment>& taken) const {
    std::vector<judge::Assignment> placed = taken;
    for (const auto& [uid, pod] : booked_.pods()) {
      const std::string& node = pod.plan != 0 ? pod.held_node : pod.node;
      if (!pod.object.ours || !pod.object.membership || pod.ended || node.empty()) continue;
      placed.push_back({pod.object, node});
    }
    return placed;
  }

  // Members beside those of their own gang, and of others.
  void JudgeNeighbours(const GangKey& key, const judge::World& before,
                       const std::vector<judge::Assignment>& gang,
                       const std::vector<judge::Assignment>& taken,
                       std::vector<std::string>& wrong) const {
    std::vector<judge::Assignment> own, others, group;
    const std::vector<judge::Assignment> placed = Placed(taken);
    for (judge::Assignment member : placed) {
      if (!member.pod.membership->group.name.empty()) group.push_back(member);
      (member.pod.membership->gang == key ? own : others).push_back(std::move(member));
    }
    for (auto found :
         {judge::CheckSpread(before, gang, own), judge::CheckGroup(before, gang, group),
          judge::CheckExclusive(before, gang, others), judge::CheckUplinks(before, gang, placed)}) {
      for (std::string& what : found) wrong.push_back(std::move(what));
    }
  }
};

}  // namespace

std::unique_ptr<Check> NewPlacementCheck(World& world, const Booked& booked) {
  return std::make_unique<PlacementCheck>(world, booked);
}

}  // namespace phalanx::sim

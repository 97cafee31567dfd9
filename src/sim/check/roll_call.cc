#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/check/checks.h"
#include "sim/pod_object.h"

namespace phalanx::sim {
namespace {

class RollCallCheck : public Check {
 public:
  RollCallCheck(World& world, const Booked& booked) : Check("roll-call", world, booked) {}

  void AtEnd() override {
    if (!world_.adapter().connected()) return;
    std::map<std::string, GangKey> there = Members();
    for (const GangView& gang : world_.brain().engine().Gangs()) {
      for (const MemberView& member : gang.members) {
        if (member.state == "ended") continue;
        if (there.erase(member.pod_uid) > 0) continue;
        Fail(KeyText(gang.key),
             fmt::format("has member {} ({}), which is not there", member.pod_name, member.state));
      }
    }
    for (const auto& [uid, gang] : there) {
      Fail(KeyText(gang), fmt::format("its pod {} is not known as a member", uid));
    }
  }

 private:
  // Pods that must be members, by the API server.
  std::map<std::string, GangKey> Members() const {
    std::map<std::string, GangKey> members;
    for (const auto& [uid, pod] : world_.api().pods()) {
      if (!pod.spec.ours || pod.Ended()) continue;
      const PodObject object = ToPodObject(pod, world_.brain().config().accelerators);
      if (object.membership) members.emplace(uid, object.membership->gang);
    }
    return members;
  }
};

}  // namespace

std::unique_ptr<Check> NewRollCallCheck(World& world, const Booked& booked) {
  return std::make_unique<RollCallCheck>(world, booked);
}

}  // namespace phalanx::sim

#include <fmt/format.h>

#include <algorithm>

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class WholeStartCheck : public Check {
 public:
  WholeStartCheck(World& world, const Booked& booked) : Check("whole-start", world, booked) {}

  void AfterCommand(const Command&, const Outcome& outcome) override {
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) Look(*admit);
    }
  }

 private:
  // What the pod, or the object that it names, says; too many if the object is not there.
  int32_t MinOf(const Membership& membership) const {
    if (!membership.sized_by_object) return membership.min;
    const auto& objects = booked_.objects();
    auto it = objects.find(*membership.terms_object);
    return it == objects.end() ? kMaxGangSize : std::get<GangTerms>(it->second.body).min;
  }

  void Look(const Admit& admit) {
    int32_t min = 1;
    for (const AdmitMember& member : admit.members) {
      const Booked::Pod* pod = booked_.Find(member.pod_uid);
      if (pod && pod->object.membership) min = std::max(min, MinOf(*pod->object.membership));
    }
    const std::optional<GangView> view = world_.brain().engine().Gang(admit.gang);
    if (view && view->bound > 0) return;  // those who join come as they find room
    auto placed = static_cast<int64_t>(admit.members.size());
    for (const auto& member : view ? view->members : std::vector<MemberView>{}) {
      if (member.state == "ended") ++placed;
    }
    if (placed >= min) return;
    Fail(KeyText(admit.gang),
         fmt::format("plan {} places {} members, the minimum is {}", admit.plan, placed, min));
  }
};

}  // namespace

std::unique_ptr<Check> NewWholeStartCheck(World& world, const Booked& booked) {
  return std::make_unique<WholeStartCheck>(world, booked);
}

}  // namespace phalanx::sim

#include <fmt/format.h>

#include <set>

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class OnePlanCheck : public Check {
 public:
  OnePlanCheck(World& world, const Booked& booked) : Check("one-plan", world, booked) {}

  void AfterCommand(const Command&, const Outcome& outcome) override {
    std::set<std::string> named;  // by this outcome
    for (const Directive& directive : outcome.directives) {
      const auto* admit = std::get_if<Admit>(&directive.body);
      if (!admit) continue;
      for (const AdmitMember& member : admit->members) {
        Look(*admit, member.pod_uid, !named.insert(member.pod_uid).second);
      }
    }
  }

 private:
  void Look(const Admit& admit, const std::string& uid, bool twice) {
    const Booked::Pod* pod = booked_.Find(uid);
    if (!pod) return;  // the placement is judged
    std::string why;
    if (twice) why = "is admitted twice at once";
    if (!pod->node.empty()) why = "is bound to " + pod->node;
    if (pod->plan != 0) why = fmt::format("has not left plan {}", pod->plan);
    if (why.empty()) return;
    Fail(KeyText(admit.gang),
         fmt::format("plan {} admits pod {}, which {}", admit.plan, pod->object.name, why));
  }
};

}  // namespace

std::unique_ptr<Check> NewOnePlanCheck(World& world, const Booked& booked) {
  return std::make_unique<OnePlanCheck>(world, booked);
}

}  // namespace phalanx::sim

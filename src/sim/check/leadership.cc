#include <fmt/format.h>

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class LeadershipCheck : public Check {
 public:
  LeadershipCheck(World& world, const Booked& booked) : Check("leadership", world, booked) {}

  void AfterCommand(const Command&, const Outcome& outcome) override {
    if (booked_.synced() && booked_.leading()) return;
    for (const Directive& directive : outcome.directives) {
      const auto* admit = std::get_if<Admit>(&directive.body);
      const auto* evict = std::get_if<Evict>(&directive.body);
      if (!admit && !evict) continue;
      Fail(KeyText(admit ? admit->gang : evict->gang),
           fmt::format(
               "{} while {}", admit ? "is admitted" : "loses a member by eviction",
               booked_.synced() ? "the scheduler does not lead" : "the snapshot is not complete"));
    }
  }
};

}  // namespace

std::unique_ptr<Check> NewLeadershipCheck(World& world, const Booked& booked) {
  return std::make_unique<LeadershipCheck>(world, booked);
}

}  // namespace phalanx::sim

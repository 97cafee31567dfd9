#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class AllOrNothingCheck : public Check {
 public:
  AllOrNothingCheck(World& world, const Booked& booked, const SpellsCheck& spells)
      : Check("all-or-nothing", world, booked), spells_(spells) {}

  void AtEnd() override {
    if (!world_.adapter().connected()) return;
    for (const std::string& group : world_.scenario().groups) {
      if (spells_.CanLeave(group) && spells_.PartialAtRest(group)) {
        Fail(group, "has a part of its minimum bound, and nothing is under way for it");
      }
    }
  }

 private:
  const SpellsCheck& spells_;
};

}  // namespace

std::unique_ptr<Check> NewAllOrNothingCheck(World& world, const Booked& booked,
                                            const SpellsCheck& spells) {
  return std::make_unique<AllOrNothingCheck>(world, booked, spells);
}

}  // namespace phalanx::sim

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class InvariantsCheck : public Check {
 public:
  InvariantsCheck(World& world, const Booked& booked) : Check("invariants", world, booked) {}

  void Sample() override {
    for (std::string& broken : world_.brain().engine().CheckInvariants()) {
      Fail("", std::move(broken));
    }
  }
  void AtEnd() override {
    if (world_.adapter().connected()) Sample();
  }
};

}  // namespace

std::unique_ptr<Check> NewInvariantsCheck(World& world, const Booked& booked) {
  return std::make_unique<InvariantsCheck>(world, booked);
}

}  // namespace phalanx::sim

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class ContractCheck : public Check {
 public:
  ContractCheck(World& world, const Booked& booked) : Check("contract", world, booked) {}

  void AfterInstant() override {
    for (std::string& text : world_.adapter().pipeline().TakeViolations()) {
      Fail("", std::move(text));
    }
  }
};

}  // namespace

std::unique_ptr<Check> NewContractCheck(World& world, const Booked& booked) {
  return std::make_unique<ContractCheck>(world, booked);
}

}  // namespace phalanx::sim

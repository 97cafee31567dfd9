#include <fmt/format.h>

#include "sim/check/checks.h"
#include "sim/check/sums.h"

namespace phalanx::sim {
namespace {

class HoldsCheck : public Check {
 public:
  HoldsCheck(World& world, const Booked& booked) : Check("holds", world, booked) {}

  void SampleNodes(const std::vector<NodeView>& nodes) override {
    const SumsByNode held = booked_.Held();
    for (const NodeView& node : nodes) {
      const std::string differs = FirstDifference(node.held, Of(held, node.name));
      if (!differs.empty()) {
        Fail(node.name, "room held for members on their way is not what messages say: " + differs);
      }
    }
  }

  void AtEnd() override {
    if (!world_.adapter().connected() || !world_.adapter().pipeline().members().empty()) return;
    for (const NodeView& node : world_.brain().engine().Nodes()) {
      for (const auto& [resource, quantity] : node.held) {
        if (quantity == 0) continue;
        Fail(node.name, fmt::format("holds {} of {} for nobody at the end", quantity, resource));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Check> NewHoldsCheck(World& world, const Booked& booked) {
  return std::make_unique<HoldsCheck>(world, booked);
}

}  // namespace phalanx::sim

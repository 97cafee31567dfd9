#include <fmt/format.h>

#include "sim/check/checks.h"
#include "sim/check/sums.h"

namespace phalanx::sim {
namespace {

class LedgerCheck : public Check {
 public:
  LedgerCheck(World& world, const Booked& booked) : Check("ledger", world, booked) {}

  void SampleNodes(const std::vector<NodeView>& nodes) override {
    Compare(nodes, booked_.Bound(), "messages");
  }

  void AtEnd() override {
    if (!world_.adapter().connected()) return;
    const std::vector<NodeView> nodes = world_.brain().engine().Nodes();
    Compare(nodes, OfObjects(), "the API server");
    if (world_.adapter().pipeline().members().empty()) CompareWithColdStart(nodes);
  }

 private:
  void Compare(const std::vector<NodeView>& nodes, const SumsByNode& bound, const char* source) {
    for (const NodeView& node : nodes) {
      const std::string differs = FirstDifference(node.bound, Of(bound, node.name));
      if (differs.empty()) continue;
      Fail(node.name, fmt::format("books of bound pods are not what {} say{}: {}", source,
                                  source[0] == 't' ? "s" : "", differs));
    }
  }

  SumsByNode OfObjects() const {
    SumsByNode sums;
    for (const auto& [name, node] : world_.api().nodes()) {
      for (const auto& [resource, used] : world_.api().UsedOn(name)) {
        if (used > 0) sums[name][resource] = used;
      }
    }
    return sums;
  }

  // The live state equals one that is built from the objects alone.
  void CompareWithColdStart(const std::vector<NodeView>& live) {
    Engine cold(world_.brain().config());
    const Time now = world_.queue().now();
    const Mirror& mirror = world_.adapter().mirror();
    Changes snapshot;
    for (const auto& [name, node] : mirror.nodes()) snapshot.nodes.push_back(node);
    for (const auto& [key, object] : mirror.objects()) snapshot.objects.push_back(object);
    for (const auto& [uid, pod] : mirror.pods()) snapshot.pods.push_back(pod);
    cold.Apply({now, Connect{1'000'000, "cold"}});
    cold.Apply({now, std::move(snapshot)});
    cold.Apply({now, SyncDone{}});
    const std::vector<NodeView> nodes = cold.Nodes();
    if (live.size() != nodes.size()) {
      Fail("", fmt::format("a cold rebuild has {} nodes, the live state {}", nodes.size(),
                           live.size()));
      return;
    }
    for (size_t i = 0; i < live.size(); ++i) {
      const NodeView& a = live[i];
      const NodeView& b = nodes[i];
      if (a.name == b.name && a.path == b.path && a.bound == b.bound) continue;
      Fail(a.name, "a cold rebuild differs from the live state, and has node " + b.name);
    }
  }
};

}  // namespace

std::unique_ptr<Check> NewLedgerCheck(World& world, const Booked& booked) {
  return std::make_unique<LedgerCheck>(world, booked);
}

}  // namespace phalanx::sim

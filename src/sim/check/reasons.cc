#include <fmt/format.h>

#include "core/explain/reason_text.h"
#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

// Views of more gangs than this are made at most ten times a second, of many once.
constexpr size_t kFewGangs = 15;
constexpr size_t kManyGangs = 50;

Duration PauseFor(size_t gangs) {
  if (gangs <= kFewGangs) return {};
  return gangs <= kManyGangs ? Duration{100} : Duration::Seconds(1);
}

class ReasonsCheck : public Check {
 public:
  ReasonsCheck(World& world, const Booked& booked) : Check("reasons", world, booked) {}

  void AfterInstant() override {
    const Duration now = world_.queue().elapsed();
    if (world_.brain().down()) return;
    const Duration pause = PauseFor(world_.scenario().groups.size());
    if (last_look_.ms >= 0 && now - last_look_ < pause) return;
    if (std::exchange(commands_, world_.brain().commands()) == world_.brain().commands()) return;
    last_look_ = now;
    for (const GangView& gang : world_.brain().engine().GangList()) {
      world_.recorder().RecordPhase(now, gang);
      const bool waits = gang.phase == GangPhase::kGathering || gang.phase == GangPhase::kQueued;
      const bool told = gang.reason.code != ReasonCode::kNone && !gang.explanation.empty();
      if (!waits || told) continue;
      Fail(KeyText(gang.key),
           fmt::format("waits in phase {} without a reason", PhaseName(gang.phase)));
    }
  }

 private:
  Duration last_look_{-1};
  int64_t commands_ = -1;  // at that time
};

}  // namespace

std::unique_ptr<Check> NewReasonsCheck(World& world, const Booked& booked) {
  return std::make_unique<ReasonsCheck>(world, booked);
}

}  // namespace phalanx::sim

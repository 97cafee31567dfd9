#include "sim/faults/plan.h"

#include <algorithm>

#include "sim/faults/plan_writer.h"

namespace phalanx::sim {
namespace {

struct Shape {
  int64_t racks = 0;
  int64_t hosts = 0;  // of a rack
  int64_t gpus = 0;   // of a host
};

void AddSettings(PlanWriter& w, uint64_t seed) {
  w.Line("why: whatever goes wrong, in the end every gang that fits runs to its end (seed {})",
         seed);
  w.Line("jitter seed={} max={}ms", seed + 1, w.Draw(1, 40));
  w.Line("config backoff-first=1s backoff-last=20s");
  w.Line("latency watch={}ms bind={}ms prepare={}ms", w.Draw(0, 20), w.Draw(1, 400),
         w.Draw(1, 100));
  w.Line("binding order={} in-flight={}", w.Chance(50) ? "rank" : "reversed", w.Draw(1, 16));
}

Shape AddNodes(PlanWriter& w) {
  const Shape shape{w.Draw(2, 4), w.Draw(3, 5), w.Chance(50) ? 4 : 8};
  for (int64_t r = 1; r <= shape.racks; ++r) {
    const std::string rack = fmt::format("r{}", r);
    for (int64_t h = 1; h <= shape.hosts; ++h) {
      w.nodes.push_back({fmt::format("r{}h{}", r, h), rack, shape.gpus});
      w.Line("node {} rack={} gpu={}", w.nodes.back().name, rack, shape.gpus);
    }
  }
  return shape;
}

// A gang of equal members that fits the empty cluster, in one rack where it asks for one.
void AddGang(PlanWriter& w, const Shape& shape) {
  constexpr int64_t kMostMembers = 24;
  const int64_t gpu = w.Draw(1, 4);
  const bool required = w.Chance(25);
  const int64_t hosts = required ? shape.hosts : shape.racks * shape.hosts;
  const int64_t members = w.Draw(1, std::min(kMostMembers, hosts * (shape.gpus / gpu)));
  const int64_t at = w.Draw(0, kTroubleMs);
  const int64_t every = w.Chance(20) ? w.Draw(1, 1000) : 0;
  const std::string name = fmt::format("g{}", w.gangs.size());
  std::string more = required ? " required=rack" : w.Chance(30) ? " preferred=rack" : "";
  if (w.Chance(20)) more += fmt::format(" priority={}", w.Draw(-2, 2));
  if (w.Chance(15)) more += fmt::format(" min={}", w.Draw(1, members));
  if (w.Chance(30)) more += fmt::format(" grace={}ms", w.Draw(0, 5000));
  if (w.Chance(40)) more += " keeps-names";
  if (every > 0) more += fmt::format(" every={}ms", every);
  w.Line("gang {} members={} gpu={} at={}ms runs={}ms{}", name, members, gpu, at,
         w.Chance(15) ? w.Draw(30'000, 60'000) : w.Draw(500, 20'000), more);
  w.gangs.push_back({name, members, at + every * members});
  ++w.plan.gangs;
  w.plan.members += members;
}

}  // namespace

FaultPlan MakeFaultPlan(uint64_t seed) {
  PlanWriter w(seed);
  AddSettings(w, seed);
  const Shape shape = AddNodes(w);
  while (w.plan.gangs < kLeastGangs || w.plan.members < kLeastMembers) AddGang(w, shape);
  for (int64_t faults = w.Draw(kLeastFaults, 2 * kLeastFaults); faults > 0; --faults) {
    AddTrouble(w);
  }
  w.Line("messages at={}ms", kTroubleMs);
  w.Line("lead held at={}ms", kTroubleMs);
  w.Line("expect gang * over");
  return std::move(w.plan);
}

}  // namespace phalanx::sim

// How fast and how reliably the simulated adapter, scheduler and API server work; changed by the
// scenario while it runs.
#ifndef PHALANX_SIM_SETTINGS_H_
#define PHALANX_SIM_SETTINGS_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/scenario.h"

namespace phalanx::sim {

struct Settings {
  Duration watch;                      // from a write to the adapter's knowledge of it
  Duration cycle{1};                   // one scheduling cycle; they come one after the other
  Duration prepare{1};                 // in-tree PreBind of one pod
  Duration bind{5};                    // one Binding
  Duration give_back{1};               // from a withdrawal to the pod's return
  Duration gc = Duration::Seconds(5);  // from a node's end to that of its pods
  BindOrder order = BindOrder::kRank;
  int64_t binds_in_flight = 16;
  Messages messages;

  Duration& Of(Latency which) {
    switch (which) {
      case Latency::kWatch:
        return watch;
      case Latency::kCycle:
        return cycle;
      case Latency::kPrepare:
        return prepare;
      case Latency::kBind:
        return bind;
      case Latency::kReturn:
        return give_back;
      case Latency::kGc:
        return gc;
    }
    return watch;
  }
};

// Adds 0..max to every latency, drawn from a seed; nothing for seed 0.
class Jitter {
 public:
  Jitter(uint64_t seed, Duration max) : on_(seed != 0), max_(max), random_(seed) {}
  Duration operator()(Duration base) {
    if (!on_) return base;
    return base + Duration{static_cast<int64_t>(random_() % static_cast<uint64_t>(max_.ms + 1))};
  }

 private:
  bool on_;
  Duration max_;
  std::mt19937_64 random_;
};

// The refusals that the scenario injected.
class Faults {
 public:
  void Add(const FaultRule& rule) { rules_.push_back(rule); }
  // The rule that refuses this step now; it is used up by one. nullptr: none.
  const FaultRule* Refuses(FaultStage stage, const std::string& group, const std::string& pod,
                           const std::string& node, Duration elapsed);

 private:
  std::vector<FaultRule> rules_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_SETTINGS_H_

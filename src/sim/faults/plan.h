// The plan of a seed: a cluster, gangs, and what goes wrong in the first minute; then the faults
// stop, and every gang that was not cancelled must run to its end.
//
// It is the text of a scenario, so that a seed that failed can be read, changed and kept as a file.
#ifndef PHALANX_SIM_FAULTS_PLAN_H_
#define PHALANX_SIM_FAULTS_PLAN_H_

#include <cstdint>
#include <map>
#include <string>

namespace phalanx::sim {

// What each plan has at least.
inline constexpr int64_t kLeastGangs = 20;
inline constexpr int64_t kLeastMembers = 200;
inline constexpr int64_t kLeastFaults = 10;

struct FaultPlan {
  std::string text;
  int64_t gangs = 0;
  int64_t members = 0;
  std::map<std::string, int64_t> faults;  // by kind
};

// The same for the same seed. Every gang in it fits the empty cluster and ends by itself.
FaultPlan MakeFaultPlan(uint64_t seed);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_FAULTS_PLAN_H_

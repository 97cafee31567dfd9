// `phalanx-sim faults`.
#ifndef PHALANX_SIM_FAULTS_FAULTS_COMMAND_H_
#define PHALANX_SIM_FAULTS_FAULTS_COMMAND_H_

#include <cstdint>
#include <optional>
#include <ostream>

namespace phalanx::sim {

struct FaultsCommand {
  std::optional<uint64_t> seeds;  // absent: 100, or 1 if a seed is given
  std::optional<uint64_t> seed;   // the first one; absent: 1
  int threads = 0;                // 0: as many as there are cores
  bool json = false;
  bool print = false;  // the plans, and nothing is run
};

// Exit status: 0 all is well, 1 a promise was broken.
int RunFaults(const FaultsCommand& command, std::ostream& out);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_FAULTS_FAULTS_COMMAND_H_

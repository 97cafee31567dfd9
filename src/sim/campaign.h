// Random scenarios: a small world, gangs, and faults for a while; then the
// faults stop, and everything that can run must run to its end.
#ifndef PHALANX_SIM_CAMPAIGN_H_
#define PHALANX_SIM_CAMPAIGN_H_

#include <cstdint>
#include <string>

namespace phalanx::sim {

// The text of the scenario of a seed; the same for the same seed. Every gang in
// it fits the empty cluster, ends by itself, and must have ended when the run
// is over.
std::string RandomScenario(uint64_t seed);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CAMPAIGN_H_

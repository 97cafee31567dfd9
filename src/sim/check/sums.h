// Comparing quantities by node.
#ifndef PHALANX_SIM_CHECK_SUMS_H_
#define PHALANX_SIM_CHECK_SUMS_H_

#include <map>
#include <string>

#include "phalanx/objects.h"

namespace phalanx::sim {

using SumsByNode = std::map<std::string, QuantityMap>;

// "nvidia.com/gpu: 4, expected 2" for the first resource that differs; empty if none does. A
// missing entry counts as 0.
std::string FirstDifference(const QuantityMap& have, const QuantityMap& expected);

// The entry of a node; empty if there is none.
const QuantityMap& Of(const SumsByNode& sums, const std::string& node);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECK_SUMS_H_

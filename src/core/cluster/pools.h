// What nodes share, by name: of one name in several declarations the least counts, so that no more
// is given than any of them says.
#ifndef PHALANX_CORE_CLUSTER_POOLS_H_
#define PHALANX_CORE_CLUSTER_POOLS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx {

std::map<std::string, int64_t> PoolsOf(const std::vector<DeclaredTopology>& declared);

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_POOLS_H_

#include "core/cluster/pools.h"

#include <algorithm>

namespace phalanx {

std::map<std::string, int64_t> PoolsOf(const std::vector<DeclaredTopology>& declared) {
  std::map<std::string, int64_t> pools;
  for (const DeclaredTopology& topology : declared) {
    for (const SharedPool& pool : topology.pools) {
      const auto [it, fresh] = pools.try_emplace(pool.name, pool.capacity);
      if (!fresh) it->second = std::min(it->second, pool.capacity);
    }
  }
  return pools;
}

}  // namespace phalanx

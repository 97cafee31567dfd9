#include "core/place/shared_pools.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "core/base/ratio.h"
#include "phalanx/shared_pool.h"

namespace phalanx {
namespace {

struct Need {
  ResourceId resource;
  Int128 amount = 0;
  ShapeId shape;  // the first that asks for it
};

std::map<std::string, Need> NeedsOf(const Cluster& cluster, const PlacementRequest& request) {
  std::map<std::string, Need> needs;
  for (const RoleRequest& role : request.roles) {
    for (const auto& [resource, amount] : cluster.shapes().Get(role.shape).request.entries()) {
      const std::string& name = cluster.resources().Name(resource);
      if (!IsSharedPool(name) || role.count == 0) continue;
      Need& need = needs[name.substr(kSharedPool.size())];
      need.resource = resource;
      need.amount += Int128{amount} * role.count;
      if (!need.shape.valid()) need.shape = role.shape;
    }
  }
  return needs;
}

int64_t Clip(Int128 amount) {
  return static_cast<int64_t>(std::min<Int128>(amount, std::numeric_limits<int64_t>::max()));
}

}  // namespace

std::optional<PlacementAnswer> SharedRefused(const Cluster& cluster,
                                             const PlacementRequest& request) {
  for (const auto& [name, need] : NeedsOf(cluster, request)) {
    const auto pool = cluster.pools().find(name);
    const bool declared = pool != cluster.pools().end();
    const int64_t capacity = declared ? pool->second : 0;
    const int64_t free = capacity - cluster.UsedInAll(need.resource);
    if (declared && need.amount <= free) continue;
    Reason reason;
    reason.code = ReasonCode::kSharedResource;
    reason.subject = name;
    reason.have = declared ? std::max<int64_t>(free, 0) : -1;
    reason.need = Clip(need.amount);
    reason.never = need.amount > capacity;
    return PlacementAnswer{std::move(reason), need.shape, 1};
  }
  return std::nullopt;
}

}  // namespace phalanx

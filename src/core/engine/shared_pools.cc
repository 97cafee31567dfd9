#include "core/engine/shared_pools.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/explain/reason_text.h"
#include "phalanx/shared_pool.h"

namespace phalanx {
namespace {

PoolView ViewPool(const State& state, const std::string& name, int64_t capacity) {
  PoolView view{.name = name, .capacity = capacity};
  const ResourceId resource = state.cluster.resources().Find(std::string(kSharedPool) + name);
  if (!resource.valid()) return view;
  std::map<GangKey, int64_t> gangs;
  for (const auto& [id, booking] : state.cluster.ledger().entries()) {
    const int64_t amount = booking.amount.Get(resource);
    if (amount == 0) continue;
    view.used += amount;
    const Pod& pod = state.pods.Get(id);
    if (pod.member != nullptr) gangs[state.gangs.Get(pod.gang).key] += amount;
  }
  view.held_by.assign(gangs.begin(), gangs.end());
  std::stable_sort(view.held_by.begin(), view.held_by.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return view;
}

}  // namespace

void NoteHolders(const State& state, Reason& reason) {
  if (reason.code != ReasonCode::kSharedResource) return;
  const auto pool = state.cluster.pools().find(reason.subject);
  if (pool == state.cluster.pools().end()) return;
  reason.detail = PoolText(ViewPool(state, pool->first, pool->second));
}

std::vector<PoolView> ViewPools(const State& state) {
  std::vector<PoolView> out;
  for (const auto& [name, capacity] : state.cluster.pools()) {
    out.push_back(ViewPool(state, name, capacity));
  }
  return out;
}

}  // namespace phalanx

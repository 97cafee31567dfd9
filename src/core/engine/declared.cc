#include "core/engine/declared.h"

#include <algorithm>
#include <utility>

#include "core/cluster/pools.h"

namespace phalanx {
namespace {

const DeclaredTopology* Levels(const ApiObject& object) {
  const auto* topology = std::get_if<DeclaredTopology>(&object.body);
  return topology != nullptr && !topology->levels.empty() ? topology : nullptr;
}

// Whether anything of it could be followed, be it long ago.
bool SaysAnything(const ApiObject& object) {
  if (std::holds_alternative<DeclaredQueue>(object.body)) return object.followed_generation > 0;
  const auto* topology = std::get_if<DeclaredTopology>(&object.body);
  return topology != nullptr && (!topology->levels.empty() || !topology->pools.empty());
}

}  // namespace

ApiObject WithLastGood(const ObjectTable& objects, ApiObject object) {
  const ApiObject* before = objects.Find(object.key);
  if (object.problems.empty() || before == nullptr || before->uid != object.uid) return object;
  if (SaysAnything(*before)) {
    object.body = before->body;
    object.followed_generation = before->followed_generation;
  }
  return object;
}

bool DeclareTopology(State& state) {
  std::vector<DeclaredTopology> all;
  for (const auto& [key, entry] : state.objects.entries()) {
    const auto* topology = std::get_if<DeclaredTopology>(&entry.object.body);
    if (topology != nullptr) all.push_back(*topology);
  }
  const bool pools = state.cluster.DeclarePools(PoolsOf(all));
  std::erase_if(all, [](const auto& topology) { return topology.levels.empty(); });
  const auto first = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.precedence < b.precedence;
  });
  if (first != all.end()) {
    const int32_t lowest = first->precedence;
    std::erase_if(all, [lowest](const auto& topology) { return topology.precedence != lowest; });
  }
  return state.cluster.DeclareTopology(std::move(all)) || pools;
}

bool IsDeclared(const State& state, const ApiObject& object) {
  const DeclaredTopology* topology = Levels(object);
  if (topology == nullptr) return SaysAnything(object);
  return !state.cluster.declared().empty() &&
         topology->precedence == state.cluster.declared().front().precedence;
}

}  // namespace phalanx

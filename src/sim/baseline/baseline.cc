#include "sim/baseline/baseline.h"

namespace phalanx::sim {

std::string_view NameOf(Baseline baseline) {
  return baseline == Baseline::kFirstFit ? "first-fit" : "nested-best-fit";
}

std::optional<Placement> PlaceBy(Baseline baseline, const Cluster& cluster,
                                 const PlacementRequest& request) {
  LevelId required = LevelId::None();
  if (!request.required_level.empty()) {
    required = cluster.topology().FindLevel(request.required_level);
    if (!required.valid()) return std::nullopt;
  }
  return baseline == Baseline::kFirstFit ? FirstFit(cluster, request, required)
                                         : NestedBestFit(cluster, request, required);
}

}  // namespace phalanx::sim

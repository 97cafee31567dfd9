// Textbook rules for where the members of one gang go: what Phalanx is compared with, in the same
// cluster and for the same request.
//
//   first fit        one member after the other, each on the first host by name that takes it
//   nested best fit  of the finest level at which one domain has room for all, the domain with the
//                    least room; in it, level by level, the largest children whole while none
//                    takes all that is left, then the smallest one that does (the rule "BestFit"
//                    of Kueue, much like those of KAI and Volcano)
//
// Both honour what a host admits, what is free, and the required level of the gang; roles go one
// after the other on what is left. Nested best fit looks at the preferred level and the coarser
// ones, without it at the required one, without both at all levels from the hosts on; it keeps
// segments whole in their required level. First fit knows neither preferred levels nor segments: it
// may cut a segment.
//
// Fewest free GPUs first for jobs on alike nodes, the rule of the Philly replay, is gpu_pool.h.
#ifndef PHALANX_SIM_BASELINE_BASELINE_H_
#define PHALANX_SIM_BASELINE_BASELINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"

namespace phalanx::sim {

enum class Baseline : uint8_t { kFirstFit, kNestedBestFit };
inline constexpr Baseline kBaselines[] = {Baseline::kFirstFit, Baseline::kNestedBestFit};

// "first-fit", "nested-best-fit"
std::string_view NameOf(Baseline baseline);

// Where the rule puts all members; nullopt where it finds no place, which proves nothing, or where
// the request can not be followed: an unknown required level, or, for nested best fit, a segment
// size that does not divide its role.
// REQUIRES: as Place(); the roles have distinct shapes.
std::optional<Placement> PlaceBy(Baseline baseline, const Cluster& cluster,
                                 const PlacementRequest& request);

// The rules by themselves. `required` is valid or None.
std::optional<Placement> FirstFit(const Cluster& cluster, const PlacementRequest& request,
                                  LevelId required);
std::optional<Placement> NestedBestFit(const Cluster& cluster, const PlacementRequest& request,
                                       LevelId required);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_BASELINE_BASELINE_H_

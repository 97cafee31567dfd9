// What a pod says about how the members of its role divide among the domains of a level:
//
//   annotations  spread-topology, spread-max, spread-min, spread-evenly
//
// Threads: pure functions. Errors: become problems of the membership.
#ifndef PHALANX_WIRE_DIALECTS_SPREAD_H_
#define PHALANX_WIRE_DIALECTS_SPREAD_H_

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr char kSpreadLevelAnnotation[] = "phalanx.dev/spread-topology";
inline constexpr char kSpreadMaxAnnotation[] = "phalanx.dev/spread-max";
inline constexpr char kSpreadMinAnnotation[] = "phalanx.dev/spread-min";
inline constexpr char kSpreadEvenlyAnnotation[] = "phalanx.dev/spread-evenly";

// REQUIRES: size and segment of `out` are read.
void ReadSpread(const LabelMap& annotations, Membership& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_SPREAD_H_

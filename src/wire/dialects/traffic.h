// What a pod says about the traffic between the members of its gang:
//
//   annotation  phalanx.dev/traffic: "dp:2.5,tp:40"   PATTERN:GB/s per member, each pattern once
//
// Threads: pure functions. Errors: become problems of the membership.
#ifndef PHALANX_WIRE_DIALECTS_TRAFFIC_H_
#define PHALANX_WIRE_DIALECTS_TRAFFIC_H_

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr char kTrafficAnnotation[] = "phalanx.dev/traffic";

void ReadTraffic(const LabelMap& annotations, Membership& out);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_TRAFFIC_H_

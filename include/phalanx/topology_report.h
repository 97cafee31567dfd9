// What the status of a ClusterTopology says: a value, made in the engine; wire/ turns it into JSON.
#ifndef PHALANX_TOPOLOGY_REPORT_H_
#define PHALANX_TOPOLOGY_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/gang_report.h"
#include "phalanx/objects.h"

namespace phalanx {

struct TopologyReport {
  ObjectKey key;
  std::string uid;
  int64_t generation = 0;  // that was looked at
  // The levels that its last followed generation declares, coarse to fine; empty: there is none.
  std::vector<std::string> levels;
  int32_t nodes = 0;  // that carry a label of any of them

  GangCondition accepted;  // this generation can be followed
  GangCondition in_force;  // gangs are placed by its levels
};

}  // namespace phalanx

#endif  // PHALANX_TOPOLOGY_REPORT_H_

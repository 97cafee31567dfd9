// One gang of a scenario, and the cluster as it is when the gang is complete.
//
// What stands before the gang's last member in the order of the scenario (time, then line) has
// happened, and the real brain has answered to it: gangs above have their places. The gang itself
// is left out, and so is everything after it.
#ifndef PHALANX_SIM_PLACE_QUESTION_H_
#define PHALANX_SIM_PLACE_QUESTION_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/judge/judge.h"
#include "core/place/fragmentation.h"
#include "core/place/placement.h"
#include "sim/scenario.h"

namespace phalanx::sim {

struct PlaceQuestion {
  std::string gang;                       // "NS/NAME"
  Duration at;                            // when its last member comes
  std::unique_ptr<Cluster> cluster;       // with what is bound and held then
  judge::World world;                     // the same for the judge
  std::vector<judge::Assignment> others;  // members of other gangs, where they are
  std::vector<PodObject> members;         // in rank order
  std::vector<ShapeId> shapes;            // of each
  std::vector<std::string> asked;         // of each: "nvidia.com/gpu 8", its accelerators alone
  size_t fewest = 0;                      // so many members may start, in whole segments
  std::unique_ptr<Fragmentation> fragmentation;  // by what waits and came
};

// `group`: one of scenario.groups, "NS/NAME". nullopt with the reason in `error`: a member that the
// brain would not plan, and why.
std::optional<PlaceQuestion> AskFor(const Scenario& scenario, const std::string& group,
                                    std::string& error);

// For the first `members` of them; roles in the order of their first member.
PlacementRequest RequestOf(const PlaceQuestion& question, size_t members);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_QUESTION_H_

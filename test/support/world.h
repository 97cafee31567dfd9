// Small worlds for tests: nodes with racks, pods of gangs, in one line each.
#ifndef PHALANX_TEST_SUPPORT_WORLD_H_
#define PHALANX_TEST_SUPPORT_WORLD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::test {

inline constexpr char kGpu[] = "nvidia.com/gpu";

// Ready, with `gpus` devices, 64 CPU, 256 GiB and room for 110 pods.
NodeObject MakeNode(const std::string& name, int64_t gpus, LabelMap labels = {});
// "rack-R-host-H" in the NVLink domain "rack-R.0"; R and H count from 0.
std::vector<NodeObject> MakeRacks(int racks, int hosts_per_rack, int64_t gpus);

struct GangSpec {
  std::string name = "train";
  int32_t size = 1;
  int32_t min = 0;  // 0: size
  int64_t gpus = 1;
  int32_t priority = 0;
  std::string required_level;
  std::string preferred_level;
  Traffic traffic = {};
  std::string ns = "team-a";
  int64_t created_s = 0;
};

// Member `i` of the gang: "NAME-i" with UID "NS/NAME-i", owned by the Job NAME.
PodObject MakeMember(const GangSpec& spec, int i);
std::vector<PodObject> MakeGang(const GangSpec& spec);
GangKey KeyOf(const GangSpec& spec);

// A pod of another scheduler that runs on `node`.
PodObject MakeForeign(const std::string& name, const std::string& node, int64_t gpus);

}  // namespace phalanx::test

#endif  // PHALANX_TEST_SUPPORT_WORLD_H_

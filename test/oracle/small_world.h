// Small worlds in the words of the API: nodes, pods that are there, and one gang. They are shown to
// the search (as a Cluster and a request), to the judge, and to a brute force that knows neither.
#ifndef PHALANX_TEST_ORACLE_SMALL_WORLD_H_
#define PHALANX_TEST_ORACLE_SMALL_WORLD_H_

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/judge/judge.h"
#include "core/place/placement.h"

namespace phalanx::oracle {

inline constexpr char kGpu[] = "nvidia.com/gpu";
inline constexpr char kCpu[] = "cpu";

// A level and the node label that makes it.
struct WorldLevel {
  std::string name;
  std::string key;
};

inline constexpr char kZoneKey[] = "topology.kubernetes.io/zone";
inline constexpr char kLeafKey[] = "backend.coreweave.cloud/leafgroup";
inline constexpr char kRackKey[] = "node.coreweave.cloud/rack";
inline constexpr char kTierKey[] = "fabric.topograph.run/tier-0";
inline constexpr char kNvlinkKey[] = "ds.coreweave.com/nvlink.domain";

struct Role {
  QuantityMap requests;
  LabelMap node_selector;
  int32_t count = 0;
  Segment segment;
  Spread spread = {};
};

struct SmallWorld {
  std::vector<NodeObject> nodes;
  std::vector<judge::Occupant> occupants;
  std::vector<Role> roles;
  std::string required;
  // Coarse to fine; those that no node has are not there.
  std::vector<WorldLevel> levels = {{"zone", kZoneKey}, {"leaf", kLeafKey}, {"rack", kRackKey}};

  void AddHost(const std::string& name, const LabelMap& labels, int64_t gpus, int64_t used);
  std::string Describe() const;
};

// A search over a small world.
struct Searched {
  std::unique_ptr<Cluster> cluster;
  PlacementRequest request;
  PlacementAnswer answer;

  // "host: members of role 0, of role 1, ..." by host name; empty for a refusal.
  std::map<std::string, std::vector<int32_t>> Members() const;
};
Searched Search(const SmallWorld& world);

// The shape of the role's members.
ShapeId InternRole(Cluster& cluster, const Role& role);

// What the judge finds wrong with a fit; empty for a refusal.
std::vector<std::string> Judge(const SmallWorld& world, const Searched& searched);

// Nodes and roles in another order: the same world.
SmallWorld Shuffled(const SmallWorld& world, std::mt19937_64& random);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_SMALL_WORLD_H_

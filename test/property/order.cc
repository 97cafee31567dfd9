#include "property/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/rig.h"

namespace phalanx::test {
namespace {

struct Crowd {
  std::vector<NodeObject> nodes;
  std::vector<PodObject> pods;
  int gangs = 0;
};

class Dice {
 public:
  explicit Dice(std::mt19937& random) : random_(random) {}
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }

 private:
  std::mt19937& random_;
};

void AddGang(Dice& dice, Crowd& crowd) {
  constexpr const char* kLevels[] = {"", "", "nvlink", "host", "spine"};
  GangSpec spec{.name = "g" + std::to_string(crowd.gangs++), .size = 1 + dice.Below(6)};
  spec.gpus = 1 + dice.Below(4);
  spec.priority = dice.Below(2);
  spec.required_level = kLevels[dice.Below(5)];
  spec.created_s = dice.Below(3);
  std::vector<PodObject> members = MakeGang(spec);
  if (dice.Below(3) == 0) members.back().requests[kGpu] = 4;  // a role of its own
  for (PodObject& pod : members) {
    if (dice.Below(40) == 0) continue;  // it has not come yet
    crowd.pods.push_back(std::move(pod));
  }
}

Crowd RandomCrowd(std::mt19937& random) {
  Dice dice(random);
  Crowd crowd;
  crowd.nodes = MakeRacks(1 + dice.Below(3), 1 + dice.Below(4), 4);
  for (NodeObject& node : crowd.nodes) {
    node.unschedulable = dice.Below(10) == 0;
    const std::string foreign = "foreign-" + node.name;
    if (dice.Below(3) == 0) crowd.pods.push_back(MakeForeign(foreign, node.name, 1));
  }
  for (int gangs = 3 + dice.Below(6); gangs > 0; --gangs) AddGang(dice, crowd);
  return crowd;
}

// What came of it.
struct Told {
  std::vector<Admit> admits;
  std::vector<EntityHash> hashes;
};

// Nodes and pods in the order of the crowd, `step` to a message, before SyncDone or after it.
Told Tell(const Crowd& crowd, size_t step, bool as_snapshot) {
  Rig rig;
  rig.manual = true;
  for (const PodObject& pod : crowd.pods) rig.pods[pod.uid] = pod;
  for (const NodeObject& node : crowd.nodes) rig.nodes[node.name] = node;
  rig.Send(Connect{++rig.epoch, "test"});
  const auto sync = [&] {
    rig.Send(Leadership{true});
    rig.Send(SyncDone{});
  };
  if (!as_snapshot) sync();
  for (size_t at = 0; at < std::max(crowd.nodes.size(), crowd.pods.size()); at += step) {
    Changes changes;
    for (size_t i = at; i < at + step; ++i) {
      if (i < crowd.nodes.size()) changes.nodes.push_back(crowd.nodes[i]);
      if (i < crowd.pods.size()) changes.pods.push_back(crowd.pods[i]);
    }
    rig.Send(std::move(changes));
  }
  if (as_snapshot) sync();
  rig.Plan();
  return {rig.Sent<Admit>(), rig.engine.Hashes()};
}

// When reasons are looked at again, and what is due to be written, follows from when things were
// told: that is the engine's, and of no host or gang.
std::vector<EntityHash> HostsAndGangs(const Told& told) {
  std::vector<EntityHash> out = told.hashes;
  std::erase_if(out, [](const EntityHash& entity) { return entity.kind == EntityKind::kEngine; });
  return out;
}

struct Seen {
  int64_t admitted = 0;  // gangs
  int64_t waiting = 0;
};

void ExpectOrderDecidesNothing(uint32_t seed, Seen& seen) {
  std::mt19937 random(seed);
  Crowd crowd = RandomCrowd(random);
  Dice dice(random);
  const bool as_snapshot = dice.Below(2) == 0;
  const Told first = Tell(crowd, crowd.pods.size(), as_snapshot);
  seen.admitted += std::ssize(first.admits);
  seen.waiting += crowd.gangs - std::ssize(first.admits);
  for (int order = 0; order < 2; ++order) {
    std::shuffle(crowd.nodes.begin(), crowd.nodes.end(), random);
    std::shuffle(crowd.pods.begin(), crowd.pods.end(), random);
    const Told at_once = Tell(crowd, crowd.pods.size(), as_snapshot);
    ASSERT_EQ(at_once.admits, first.admits) << "seed " << seed;
    ASSERT_EQ(FirstDifference(at_once.hashes, first.hashes), "") << "seed " << seed;
    const Told in_parts = Tell(crowd, static_cast<size_t>(1 + dice.Below(9)), as_snapshot);
    ASSERT_EQ(in_parts.admits, first.admits) << "seed " << seed;
    ASSERT_EQ(FirstDifference(HostsAndGangs(in_parts), HostsAndGangs(first)), "")
        << "seed " << seed;
  }
}

}  // namespace

void ExpectOrderDecidesNothing(uint32_t first, uint32_t crowds) {
  Seen seen;
  for (uint32_t seed = first; seed < first + crowds && !testing::Test::HasFailure(); ++seed) {
    ExpectOrderDecidesNothing(seed, seen);
  }
  EXPECT_GT(seen.admitted, crowds);
  EXPECT_GT(seen.waiting, crowds);
  std::printf("property: %u crowds told in any order, %lld gangs admitted, %lld wait\n", crowds,
              static_cast<long long>(seen.admitted), static_cast<long long>(seen.waiting));
}

void ExpectARareResourceIsFound(int nodes, int orders) {
  constexpr char kRare[] = "example.com/nic";
  std::mt19937 random(9);
  Crowd crowd;
  for (int i = 0; i < nodes; ++i) crowd.nodes.push_back(MakeNode("n" + std::to_string(i), 8));
  for (int i = 1; i <= 3; ++i)
    crowd.nodes[static_cast<size_t>(i * nodes / 4)].allocatable[kRare] = 1;
  crowd.pods = MakeGang({.name = "rare", .size = 3});
  for (PodObject& pod : crowd.pods) pod.requests[kRare] = 1;
  const Told first = Tell(crowd, crowd.nodes.size(), false);
  ASSERT_EQ(first.admits.size(), 1u);
  for (const AdmitMember& member : first.admits[0].members) {
    const auto node = std::find_if(crowd.nodes.begin(), crowd.nodes.end(),
                                   [&](const auto& other) { return other.name == member.node; });
    ASSERT_EQ(node->allocatable.count(kRare), 1u) << member.node;
  }
  for (int order = 0; order < orders; ++order) {
    std::shuffle(crowd.nodes.begin(), crowd.nodes.end(), random);
    const Told other = Tell(crowd, crowd.nodes.size(), false);
    ASSERT_EQ(other.admits, first.admits);
    ASSERT_EQ(FirstDifference(other.hashes, first.hashes), "");
  }
}

}  // namespace phalanx::test

#include "oracle/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/digest.h"
#include "core/engine/entities.h"
#include "core/engine/state.h"

namespace phalanx::oracle {
namespace {

// What an answer says, in words that do not depend on ids.
struct Said {
  std::map<std::string, std::vector<int32_t>> members;
  std::vector<int32_t> touched;
  ProvenThrough proven;
  std::string common;
  std::optional<Reason> refusal;

  friend bool operator==(const Said&, const Said&) = default;
};

Said Say(const Searched& searched) {
  Said out{searched.Members(), {}, ProvenThrough::kNothing, "", {}};
  if (const Placement* placement = searched.answer.placement()) {
    out.touched = placement->touched;
    out.proven = placement->proven;
    out.common = searched.cluster->topology().Path(placement->common);
  } else {
    out.refusal = *searched.answer.refusal();
    out.proven = out.refusal->proven;
  }
  return out;
}

bool InSegments(const SmallWorld& world) {
  return std::any_of(world.roles.begin(), world.roles.end(),
                     [](const Role& role) { return role.segment.size > 1; });
}

// The state of an engine, its cluster, and what the cluster says of a gang.
class Watched {
 public:
  explicit Watched(const SmallWorld& world) : state_(EngineConfig{}) {
    Searched searched = Search(world);
    request_ = searched.request;
    state_.cluster = *searched.cluster;
    digest_ = DigestOf(state_);
    hashes_ = EntityHashes(state_);
    slots_ = Slots();
    said_ = Say(Ask(state_.cluster));
  }

  const Cluster& cluster() const { return state_.cluster; }
  const PlacementRequest& request() const { return request_; }
  Searched Ask(const Cluster& cluster) const {
    return {std::make_unique<Cluster>(cluster), request_, Place(cluster, request_)};
  }

  void ExpectUnchanged(const SmallWorld& world) const {
    ASSERT_EQ(DigestOf(state_), digest_) << FirstDifference(EntityHashes(state_), hashes_);
    ASSERT_EQ(EntityHashes(state_), hashes_) << world.Describe();
    ASSERT_EQ(Slots(), slots_) << world.Describe();
    ASSERT_TRUE(Say(Ask(state_.cluster)) == said_) << world.Describe();
    ASSERT_TRUE(state_.cluster.CheckShapeIndex()) << world.Describe();
  }

 private:
  // By role and host, looked up and not kept.
  std::vector<int64_t> Slots() const {
    std::vector<int64_t> out;
    for (const RoleRequest& role : request_.roles) {
      for (const NodeId node : state_.cluster.present_nodes()) {
        out.push_back(state_.cluster.Slots(node, role.shape));
      }
    }
    return out;
  }

  State state_;
  PlacementRequest request_;
  uint64_t digest_ = 0;
  std::vector<EntityHash> hashes_;
  std::vector<int64_t> slots_;
  Said said_;
};

// A copy of a cluster, and the world that it stands for.
class WhatIf {
 public:
  WhatIf(const SmallWorld& world, const Watched& watched)
      : world_(world), watched_(watched), cluster_(watched.cluster()) {}

  void Change(Random& random) {
    switch (Between(random, 1, 4)) {
      case 1:
        return Start();
      case 2:
        return AddHost(random);
      case 3:
        return RemoveHost(random);
      default:
        return Cordon(random);
    }
  }

  void ExpectTrue() {
    cluster_.RefreshTopology();
    ASSERT_TRUE(Say(watched_.Ask(cluster_)) == Say(Search(world_))) << world_.Describe();
    ASSERT_TRUE(cluster_.CheckShapeIndex()) << world_.Describe();
  }

 private:
  // The gang itself, if it fits.
  void Start() {
    cluster_.RefreshTopology();
    const PlacementAnswer answer = Place(cluster_, watched_.request());
    if (answer.placement() == nullptr) return;
    for (const SlotsOnHost& slot : answer.placement()->slots) {
      const Topology::Host host = cluster_.topology().host(slot.host);
      for (int32_t i = 0; i < slot.count; ++i) {
        const Resources& request = cluster_.shapes().Get(slot.shape).request;
        cluster_.ledger().Book(PodId(pods_++), host.node, BookingKind::kHeld, request);
        world_.occupants.push_back({host.name, request.ToMap(cluster_.resources())});
      }
    }
  }
  void AddHost(Random& random) {
    world_.AddHost("extra" + std::to_string(pods_++), RandomLabels(random), 4, 0);
    cluster_.UpsertNode(world_.nodes.back());
  }
  void RemoveHost(Random& random) {
    const auto chosen = world_.nodes.begin() + Between(random, 0, std::ssize(world_.nodes) - 1);
    cluster_.RemoveNode(chosen->name);
    world_.nodes.erase(chosen);
    if (world_.nodes.empty()) AddHost(random);
  }
  void Cordon(Random& random) {
    NodeObject& node = world_.nodes[random() % world_.nodes.size()];
    node.unschedulable = !node.unschedulable;
    cluster_.UpsertNode(node);
  }

  SmallWorld world_;
  const Watched& watched_;
  Cluster cluster_;
  uint32_t pods_ = 1000;  // none of the world's has such a number
};

}  // namespace

void Seen::Count(const Searched& searched) {
  ++worlds;
  ++(searched.answer.placement() != nullptr ? fits : refused);
}

void Seen::Print(const char* what) const {
  std::printf("property: %s in %lld worlds, %lld fits and %lld refusals\n", what,
              static_cast<long long>(worlds), static_cast<long long>(fits),
              static_cast<long long>(refused));
}

SmallWorld RandomGang(Random& random, int64_t most_hosts) {
  SmallWorld world =
      Chance(random, 40) ? RandomTwoTrees(random, most_hosts) : RandomHosts(random, most_hosts);
  const bool segments = Chance(random, 40);
  if (Chance(random, 50)) {
    AddTwoRoles(random, 6, segments, world);
    return world;
  }
  world.roles = {RandomRole(random, 7)};
  if (!segments) return world;
  world.roles[0].segment = RandomSegment(random, world);
  world.roles[0].count = world.roles[0].segment.size * static_cast<int32_t>(Between(random, 1, 4));
  return world;
}

void ExpectOrderChangesNothing(const SmallWorld& world, Random& random, Seen& seen) {
  const Searched first = Search(world);
  seen.Count(first);
  const SmallWorld other = Shuffled(world, random);
  Said said = Say(Search(other));
  if (other.roles[0].requests != world.roles[0].requests) {
    for (auto& [host, counts] : said.members) std::reverse(counts.begin(), counts.end());
  }
  ASSERT_EQ(first.Members(), said.members) << world.Describe();
  ASSERT_TRUE(Say(first) == said) << world.Describe();
}

void ExpectAFreeHostKeepsAFit(const SmallWorld& world, Random& random, Seen& seen) {
  const Searched before = Search(world);
  seen.Count(before);
  const Placement* fit = before.answer.placement();
  if (fit == nullptr) return;
  SmallWorld larger = world;
  const bool two_trees =
      std::any_of(world.levels.begin(), world.levels.end(),
                  [](const WorldLevel& level) { return level.key == kNvlinkKey; });
  // Where two trees are cut into one, what a host adds to a domain can change which of them is cut.
  const LabelMap alone = {{kZoneKey, "z9"}, {kTierKey, "l9"}, {kNvlinkKey, "n9"}};
  larger.AddHost("new", two_trees ? alone : RandomLabels(random), 4, Between(random, 0, 3));
  const Searched after = Search(larger);
  const Placement* still = after.answer.placement();
  if (fit->proven != ProvenThrough::kAll) {
    if (still != nullptr) return;
    ASSERT_EQ(after.answer.refusal()->proven, ProvenThrough::kNothing) << larger.Describe();
    return;
  }
  ASSERT_NE(still, nullptr) << larger.Describe();
  // A level that no host had before would be counted besides.
  if (InSegments(world) || still->touched.size() != fit->touched.size()) return;
  ASSERT_EQ(still->proven, ProvenThrough::kAll) << larger.Describe();
  ASSERT_LE(still->touched, fit->touched) << larger.Describe();
}

void ExpectAWhatIfLeavesNoTrace(const SmallWorld& world, Random& random, Seen& seen) {
  seen.Count(Search(world));
  const Watched watched(world);
  WhatIf what_if(world, watched);
  for (int64_t changes = Between(random, 1, 4); changes > 0; --changes) {
    what_if.Change(random);
    what_if.ExpectTrue();
    if (testing::Test::HasFatalFailure()) return;
    watched.ExpectUnchanged(world);
    if (testing::Test::HasFatalFailure()) return;
  }
}

Seen CheckProperty(uint64_t seed, int worlds, int64_t most_hosts, Property property) {
  Random random(seed);
  Seen seen;
  for (int i = 0; i < worlds && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << " world " << i);
    property(RandomGang(random, most_hosts), random, seen);
  }
  return seen;
}

}  // namespace phalanx::oracle

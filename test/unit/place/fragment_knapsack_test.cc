// Fragmentation as a term of the objective for gangs on several hosts: against all placements of
// small worlds, tried one by one, and where it does not count.
#include "core/place/fragment_knapsack.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/place/assemble.h"
#include "support/place_world.h"

namespace phalanx::test {
namespace {

using Counts = std::vector<int32_t>;  // members by host, depth first

// Smaller is better, in the order of the terms.
struct Rank {
  std::vector<int32_t> touched;
  int64_t hosts = 0;
  int64_t stranded = 0;
  std::vector<int32_t> position;  // negative: more in front is better

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

class FragmentKnapsackTest : public ::testing::Test {
 protected:
  // Hosts of up to four free GPUs, in one zone or two, some of them without a leaf.
  void MakeWorld(std::mt19937_64& random) {
    world_ = PlaceWorld();
    hosts_ = 3 + random() % 4;
    for (size_t i = 0; i < hosts_; ++i) {
      const std::string leaf = random() % 5 == 0 ? "" : "l" + std::to_string(random() % 3);
      world_.AddHost("h" + std::to_string(i), static_cast<int64_t>(random() % 5),
                     {"z" + std::to_string(random() % 2), leaf, ""});
    }
    Mix mix;
    const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
    for (const int64_t gpus : {1, 2, 4}) {
      if (random() % 3 != 0) mix.shapes.push_back({world_.Gpus(gpus), gpu, 1 + Below(random, 5)});
    }
    if (mix.shapes.empty()) mix.shapes.push_back({world_.Gpus(1), gpu, 1});
    for (int64_t n = Below(random, 3); n > 0; --n) {
      mix.gangs.push_back({gpu, 2 + Below(random, 10), 1 + Below(random, 3)});
    }
    fragmentation_.SetMix(world_.cluster(), std::move(mix));
  }
  static int64_t Below(std::mt19937_64& random, uint64_t end) {
    return static_cast<int64_t>(random() % end);
  }

  std::string Where(ShapeId shape, int32_t members, Fragmentation* fragmentation) {
    PlacementRequest request;
    request.roles = {{shape, members}};
    request.fragmentation = fragmentation;
    const PlacementAnswer answer = world_.Place(request);
    if (answer.placement() != nullptr) proven_ = answer.placement()->proven;
    return world_.Where(answer);
  }

  std::string Best(ShapeId shape, int64_t gpus, int32_t members) {
    cluster_ = &world_.cluster();
    shape_ = shape;
    gpus_ = gpus;
    slots_.clear();
    for (const Topology::Host& host : topology().hosts()) {
      slots_.push_back(static_cast<int32_t>(cluster_->Slots(host.node, shape)));
    }
    fragmentation_.Follow(*cluster_);
    best_.reset();
    Try(Counts(), members);
    if (!best_) return "refused";
    std::string text;
    for (size_t i = 0; i < best_counts_.size(); ++i) {
      if (best_counts_[i] == 0) continue;
      text += (text.empty() ? "" : " ") + topology().host(HostId(static_cast<uint32_t>(i))).name +
              ":" + std::to_string(best_counts_[i]);
    }
    return text;
  }

  PlaceWorld world_;
  Fragmentation fragmentation_;
  ProvenThrough proven_ = ProvenThrough::kNothing;

 private:
  const Topology& topology() const { return cluster_->topology(); }

  void Try(Counts counts, int32_t left) {
    if (counts.size() == hosts_) {
      if (left > 0) return;
      Rank rank = RankOf(counts);
      if (best_ && *best_ <= rank) return;
      best_ = std::move(rank);
      best_counts_ = std::move(counts);
      return;
    }
    const int32_t most = std::min(left, slots_[counts.size()]);
    for (int32_t here = 0; here <= most; ++here) {
      Counts next = counts;
      next.push_back(here);
      Try(std::move(next), left - here);
    }
  }

  Rank RankOf(const Counts& counts) {
    Rank rank;
    std::vector<HostId> used;
    for (uint32_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      used.push_back(HostId(i));
      rank.hosts +=
          fragmentation_.Cost(fragmentation_.CostsOf(*cluster_, shape_), HostId(i), counts[i]);
      rank.stranded += Stranded(slots_[i], counts[i]);
    }
    rank.touched = TouchedPerLevel(topology(), used);
    for (const Topology::Domain& domain : topology().domains()) {
      AddDomain(domain, counts, rank);
    }
    return rank;
  }

  // What is taken below each child, and what that strands in the domain itself.
  void AddDomain(const Topology::Domain& domain, const Counts& counts, Rank& rank) {
    uint32_t host = domain.first_host.value();
    const uint32_t end = host + domain.host_count;
    int32_t taken = 0;
    int32_t free = 0;
    const auto add = [&](uint32_t hosts) {
      int32_t here = 0;
      for (; hosts > 0; --hosts, ++host) {
        here += counts[host];
        free += slots_[host];
      }
      taken += here;
      rank.position.push_back(-here);
    };
    for (const DomainId child : domain.children) add(topology().domain(child).host_count);
    while (host < end) add(1);
    if (domain.level.valid() && taken > 0) rank.stranded += Stranded(free, taken);
  }

  int64_t Stranded(int64_t free, int64_t taken) const {
    int64_t sum = 0;
    for (const GangSize& gang : fragmentation_.mix().gangs) {
      const int64_t before = free * gpus_ - free * gpus_ / gang.devices * gang.devices;
      const int64_t rest = (free - taken) * gpus_;
      sum += gang.weight * (rest - rest / gang.devices * gang.devices - before);
    }
    return sum;
  }

  size_t hosts_ = 0;
  const Cluster* cluster_ = nullptr;
  std::vector<int32_t> slots_;
  ShapeId shape_;
  int64_t gpus_ = 1;
  std::optional<Rank> best_;
  Counts best_counts_;
};

TEST_F(FragmentKnapsackTest, EqualsTheBestOfAllPlacements) {
  std::mt19937_64 random(5);
  int placed = 0;
  int differ = 0;
  for (int world = 0; world < 400; ++world) {
    MakeWorld(random);
    const int64_t gpus = 1 + Below(random, 2);
    const ShapeId shape = world_.Gpus(gpus);
    const auto members = static_cast<int32_t>(1 + Below(random, 9));
    const std::string best = Best(shape, gpus, members);
    ASSERT_EQ(Where(shape, members, &fragmentation_), best) << "world " << world;
    if (best == "refused") continue;
    ++placed;
    EXPECT_EQ(proven_, ProvenThrough::kAll) << "world " << world;
    differ += Where(shape, members, nullptr) == best ? 0 : 1;
  }
  EXPECT_GT(placed, 200);
  EXPECT_GT(differ, 50);
}

// Three leaves of two whole hosts and one of one; gangs of two hosts come. A gang of three takes
// the single host beside a whole leaf, though it is last.
TEST_F(FragmentKnapsackTest, LeavesWholeLeavesToGangsThatComeAsSuch) {
  for (const char* name : {"a1", "a2", "b1", "b2", "c1", "c2", "d1"}) {
    world_.AddHost(name, 8, {"z", std::string("leaf-") + name[0], ""});
  }
  const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
  EXPECT_EQ(Where(world_.Gpus(8), 3, nullptr), "a1:1 a2:1 b1:1");
  fragmentation_.SetMix(world_.cluster(), {{{world_.Gpus(8), gpu, 1}}, {{gpu, 16, 1}}});
  EXPECT_EQ(Where(world_.Gpus(8), 3, &fragmentation_), "a1:1 a2:1 d1:1");
  // And one host alone as well.
  EXPECT_EQ(Where(world_.Gpus(8), 1, &fragmentation_), "d1:1");
}

TEST_F(FragmentKnapsackTest, WithoutTimeForItPositionDecides) {
  for (int i = 0; i < 6; ++i) world_.AddHost("h" + std::to_string(i), i == 5 ? 2 : 4);
  const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
  const ShapeId one = world_.Gpus(1);
  fragmentation_.SetMix(world_.cluster(), {{{world_.Gpus(4), gpu, 1}}, {}});
  EXPECT_EQ(Where(one, 6, &fragmentation_), "h0:4 h5:2");
  EXPECT_EQ(proven_, ProvenThrough::kAll);
  PlacementRequest request;
  request.roles = {{one, 6}};
  request.fragmentation = &fragmentation_;
  request.max_cells = 512;
  const PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "h0:4 h1:2");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kOverrun);
}

TEST_F(FragmentKnapsackTest, UnequalMembersAndSegmentsDoNotLookAtIt) {
  for (int i = 0; i < 4; ++i) world_.AddHost("h" + std::to_string(i), i == 3 ? 2 : 4);
  const ResourceId gpu = world_.cluster().resources().Intern(kGpu);
  fragmentation_.SetMix(world_.cluster(), {{{world_.Gpus(4), gpu, 1}}, {}});
  PlacementRequest request;
  request.roles = {{world_.Gpus(1), 4}, {world_.Gpus(2), 1}};
  request.fragmentation = &fragmentation_;
  PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "h0:4 h1:1");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kOverrun);
  Shape pairs;
  pairs.segment.size = 2;
  pairs.segment.required_level = "host";
  request.roles = {{world_.Member({{kGpu, 1}}, pairs), 6}};
  answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "h0:4 h1:2");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kOverrun);
}

}  // namespace
}  // namespace phalanx::test

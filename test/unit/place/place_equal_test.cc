// Equal members: the exact search.
#include <gtest/gtest.h>

#include <set>

#include "core/place/placement.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;
using test::Spot;

PlacementRequest Gang(ShapeId shape, int32_t count, std::string required = "",
                      std::string preferred = "") {
  PlacementRequest request;
  request.roles = {{shape, count}};
  request.required_level = std::move(required);
  request.preferred_level = std::move(preferred);
  return request;
}

//   rack r1: a0 a1 a2 (8 free each)      rack r2: b0 b1 (8 free each)
class TwoRacks : public testing::Test {
 protected:
  TwoRacks() {
    for (const char* name : {"a0", "a1", "a2"}) world_.AddHost(name, 8, {"z", "l1", "r1"});
    for (const char* name : {"b0", "b1"}) world_.AddHost(name, 8, {"z", "l1", "r2"});
  }
  PlaceWorld world_;
};

TEST_F(TwoRacks, StaysInOneRackAndTakesTheFirstHosts) {
  const PlacementAnswer answer = world_.Place(Gang(world_.Gpus(8), 2));
  EXPECT_EQ(world_.Where(answer), "a0:1 a1:1");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kAll);
  // zone, leaf, rack, nvlink, hosts
  EXPECT_EQ(answer.placement()->touched, (std::vector<int32_t>{1, 1, 1, 1, 2}));
  EXPECT_EQ(world_.cluster().topology().Path(answer.placement()->common), "z/l1/r1/r1.0");
}

TEST_F(TwoRacks, PacksMembersOntoTheFewestHosts) {
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(2), 4))), "a0:4");
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(2), 6))), "a0:4 a1:2");
}

TEST_F(TwoRacks, SpreadsOverRacksOnlyWhenOneIsTooSmall) {
  const PlacementAnswer answer = world_.Place(Gang(world_.Gpus(8), 4));
  EXPECT_EQ(world_.Where(answer), "a0:1 a1:1 a2:1 b0:1");
  EXPECT_EQ(world_.cluster().topology().Path(answer.placement()->common), "z/l1");
}

TEST_F(TwoRacks, RequiredLevelIsOneDomainOfIt) {
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(8), 3, "rack"))), "a0:1 a1:1 a2:1");
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(8), 4, "rack"))), "refused");
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(2), 4, "host"))), "a0:4");
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(2), 5, "kubernetes.io/hostname"))),
            "refused");
}

TEST_F(TwoRacks, PreferredLevelYieldsToTheNextCoarserOne) {
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(8), 3, "zone", "rack"))), "a0:1 a1:1 a2:1");
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(8), 4, "zone", "rack"))),
            "a0:1 a1:1 a2:1 b0:1");
  // A preference that no node can serve is no reason to refuse.
  EXPECT_EQ(world_.Where(world_.Place(Gang(world_.Gpus(8), 2, "", "no-such-level"))), "a0:1 a1:1");
}

TEST_F(TwoRacks, ExcludedHostsAreLeftOutForTheirShapeOnly) {
  const ShapeId shape = world_.Gpus(8);
  world_.cluster();
  PlacementRequest request = Gang(shape, 1);
  request.exclusions = {{shape, world_.Id("a0"), "NodeResourcesFit"}};
  EXPECT_EQ(world_.Where(world_.Place(request)), "a1:1");
  request.exclusions = {{world_.Gpus(4), world_.Id("a0"), "NodeResourcesFit"}};
  EXPECT_EQ(world_.Where(world_.Place(request)), "a0:1");
}

TEST_F(TwoRacks, StaysWithinAHostRange) {
  PlacementRequest request = Gang(world_.Gpus(8), 2);
  request.within = {{HostId(3), 2}};
  EXPECT_EQ(world_.Where(world_.Place(request)), "b0:1 b1:1");
  request.roles[0].count = 3;
  const PlacementAnswer answer = world_.Place(request);
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->have, 2);
}

TEST_F(TwoRacks, EqualRolesAreOneRole) {
  PlacementRequest request = Gang(world_.Gpus(8), 1);
  request.roles.push_back(request.roles[0]);
  const PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "a0:1 a1:1");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kAll);
}

TEST_F(TwoRacks, NoMembersTakeNothing) {
  const PlacementAnswer answer = world_.Place(Gang(world_.Gpus(8), 0));
  EXPECT_TRUE(answer.placement()->slots.empty());
}

// Few coarse domains go before few fine ones: one leaf with two racks beats two leaves with a rack
// each, although the hosts are as many.
//
//   leaf l1 ── rack r1: a0 a1        leaf l2 ── rack r2: b0
//                                           └── rack r3: c0        └── rack r4: d0
TEST(PlaceEqualTest, CoarseLevelsCountFirst) {
  PlaceWorld world;
  world.AddHost("a0", 8, {"z", "l1", "r1"});
  world.AddHost("a1", 8, {"z", "l1", "r1"});
  world.AddHost("b0", 8, {"z", "l2", "r2"});
  world.AddHost("c0", 8, {"z", "l2", "r3"});
  world.AddHost("d0", 8, {"z", "l2", "r4"});
  EXPECT_EQ(world.Where(world.Place(Gang(world.Gpus(8), 3))), "b0:1 c0:1 d0:1");
}

// A greedy fill of the largest rack first would touch three racks; 4 + 4 touches two.
//
//   r1: 5 slots     r2: 4 slots     r3: 4 slots       8 members, all racks in one leaf
TEST(PlaceEqualTest, FindsTheSplitWithFewestHosts) {
  PlaceWorld world;
  world.AddHost("a0", 3, {"z", "l", "r1"});
  world.AddHost("a1", 2, {"z", "l", "r1"});
  world.AddHost("b0", 4, {"z", "l", "r2"});
  world.AddHost("c0", 4, {"z", "l", "r3"});
  EXPECT_EQ(world.Where(world.Place(Gang(world.Gpus(1), 8))), "b0:4 c0:4");
}

// A host without a rack shares its rack with nobody: it never looks nearer than a known neighbour.
//
//   leaf l1 ── x0 x1 (no rack)       leaf l2 ── rack r: a0 a1
TEST(PlaceEqualTest, HostsThatLackALevelCountAsDomainsOfTheirOwn) {
  PlaceWorld world;
  world.AddHost("x0", 8, {"z", "l1", ""});
  world.AddHost("x1", 8, {"z", "l1", ""});
  world.AddHost("a0", 8, {"z", "l2", "r"});
  world.AddHost("a1", 8, {"z", "l2", "r"});
  EXPECT_EQ(world.Where(world.Place(Gang(world.Gpus(8), 2))), "a0:1 a1:1");
  const PlacementAnswer three = world.Place(Gang(world.Gpus(8), 3));
  // Both leaves are needed; two racks (r and one of its own), two nvlink domains alike.
  EXPECT_EQ(three.placement()->touched, (std::vector<int32_t>{1, 2, 2, 2, 3}));
  EXPECT_EQ(world.Where(world.Place(Gang(world.Gpus(8), 2, "rack"))), "a0:1 a1:1");
  EXPECT_EQ(world.Where(world.Place(Gang(world.Gpus(8), 3, "rack"))), "refused");
}

// The demo's first story: 12 hosts free in one rack, 15 in the other, the gang needs 14.
TEST(PlaceEqualTest, AGangLandsWholeInTheRackThatHasRoom) {
  PlaceWorld world;
  for (int i = 0; i < 18; ++i) {
    const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
    world.AddHost("r1-" + number, i < 12 ? 4 : 0, {"z", "l", "r1"});
    world.AddHost("r2-" + number, i < 15 ? 4 : 0, {"z", "l", "r2"});
  }
  const PlacementAnswer answer = world.Place(Gang(world.Gpus(4), 14, "rack"));
  ASSERT_NE(answer.placement(), nullptr);
  EXPECT_EQ(world.cluster().topology().Path(answer.placement()->common), "z/l/r2/r2.0");
  EXPECT_EQ(answer.placement()->slots.size(), 14u);
}

// Every host takes another number of members, so that hosts matter beside leaves and zones.
PlaceWorld UnequalHosts() {
  PlaceWorld world;
  for (int i = 0; i < 24; ++i) {
    world.AddHost("h" + std::to_string(i), 1 + i % 5,
                  {"z" + std::to_string(i % 2), "l" + std::to_string(i % 7), ""});
  }
  return world;
}

int32_t MembersIn(const Placement& placement) {
  int32_t members = 0;
  for (const SlotsOnHost& slot : placement.slots) members += slot.count;
  return members;
}

TEST(PlaceEqualTest, ALargerBudgetProvesMoreAndTheAnswerSaysHowMuch) {
  PlaceWorld world = UnequalHosts();
  PlacementRequest request = Gang(world.Gpus(1), 50);
  const PlacementAnswer exact = world.Place(request);
  ASSERT_NE(exact.placement(), nullptr);
  EXPECT_EQ(exact.placement()->proven, ProvenThrough::kAll);
  std::set<ProvenThrough> seen;
  ProvenThrough last = ProvenThrough::kNothing;
  for (request.max_cells = 1; request.max_cells < exact.work_units; ++request.max_cells) {
    const PlacementAnswer answer = world.Place(request);
    ASSERT_NE(answer.placement(), nullptr);
    const Placement& placement = *answer.placement();
    EXPECT_EQ(MembersIn(placement), 50);
    EXPECT_GE(placement.proven, last);
    last = placement.proven;
    seen.insert(last);
    std::vector<int32_t> domains = placement.touched;
    std::vector<int32_t> fewest = exact.placement()->touched;
    EXPECT_GE(domains, fewest);
    domains.pop_back();
    fewest.pop_back();
    if (last == ProvenThrough::kCounts) {
      EXPECT_EQ(domains, fewest);
    }
  }
  EXPECT_EQ(seen,
            (std::set{ProvenThrough::kFeasibility, ProvenThrough::kCounts, ProvenThrough::kAll}));
}

}  // namespace
}  // namespace phalanx

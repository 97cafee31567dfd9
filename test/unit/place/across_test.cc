// Levels that cross the tree. In these worlds every rack is cabled to both leaves:
//
//              leaf l1        leaf l2
//   rack r1    a0 a1          a2 a3
//   rack r2    b0 b1          b2 b3
#include "core/place/across.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/place/fragmentation.h"
#include "support/place_world.h"

namespace phalanx {
namespace {

using test::PlaceWorld;

class AcrossTest : public testing::Test {
 protected:
  void AddAll(int64_t free_gpus) {
    for (const char* rack : {"a", "b"}) {
      for (int i = 0; i < 4; ++i) {
        world_.AddHost(rack + std::to_string(i), free_gpus,
                       {"z", i < 2 ? "l1" : "l2", rack[0] == 'a' ? "r1" : "r2"});
      }
    }
  }
  PlacementAnswer Place(int32_t members, std::string required, std::string preferred = "") {
    PlacementRequest request;
    request.roles = {{world_.Gpus(8), members}};
    request.required_level = std::move(required);
    request.preferred_level = std::move(preferred);
    if (fragmentation_.Active()) request.fragmentation = &fragmentation_;
    return world_.Place(request);
  }
  void Fill(const std::vector<std::string>& hosts) {
    uint32_t pod = 1000;
    for (const std::string& host : hosts) {
      Cluster& cluster = world_.cluster();
      cluster.ledger().Book(PodId(pod++), cluster.NodeForName(host), BookingKind::kBound,
                            Resources::From({{test::kGpu, 8}}, cluster.resources()));
    }
  }
  PlaceWorld world_;
  Fragmentation fragmentation_;
};

TEST_F(AcrossTest, ALeafIsWholeAlthoughTheTreeCutsIt) {
  AddAll(8);
  const PlacementAnswer four = Place(4, "leaf");
  EXPECT_EQ(world_.Where(four), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(four.placement()->proven, ProvenThrough::kAll);
  EXPECT_EQ(world_.Where(Place(5, "leaf")), "refused");
  EXPECT_EQ(world_.Where(Place(4, "rack")), "a0:1 a1:1 a2:1 a3:1");
}

TEST_F(AcrossTest, InsideTheLeafAsFewRacksAsCanBe) {
  AddAll(8);
  Fill({"a0"});
  EXPECT_EQ(world_.Where(Place(2, "leaf")), "a2:1 a3:1") << "leaf l1 would take two racks";
  EXPECT_EQ(world_.Where(Place(3, "leaf")), "a2:1 a3:1 b2:1") << "as few racks, more in the first";
}

// a2 is alone in what rack r1 has in leaf l2: of no use to gangs of two hosts.
TEST_F(AcrossTest, OfLeavesThatTouchAsLittleTheOneThatStrandsTheLeast) {
  AddAll(8);
  Fill({"a3"});
  EXPECT_EQ(world_.Where(Place(1, "leaf")), "a0:1");
  const ResourceId gpu = world_.cluster().resources().Intern(test::kGpu);
  fragmentation_.SetMix(world_.cluster(), {{{world_.Gpus(8), gpu, 1}}, {{gpu, 16, 1}}});
  EXPECT_EQ(world_.Where(Place(1, "leaf")), "a2:1");
}

TEST_F(AcrossTest, APreferredLeafIsTriedFirstAndRefusesNothing) {
  AddAll(8);
  EXPECT_EQ(world_.Where(Place(4, "", "leaf")), "a0:1 a1:1 b0:1 b1:1");
  EXPECT_EQ(world_.Where(Place(6, "", "leaf")), "a0:1 a1:1 a2:1 a3:1 b0:1 b1:1");
  EXPECT_EQ(world_.Where(Place(4, "rack", "leaf")), "a0:1 a1:1 a2:1 a3:1");
  EXPECT_EQ(world_.Where(Place(2, "rack", "leaf")), "a0:1 a1:1");
}

TEST_F(AcrossTest, ARefusalNamesTheBestLeafAndWhatLacksOne) {
  AddAll(8);
  world_.AddHost("c0", 8, {"z", "", "r3"});
  Fill({"a0", "b0", "b2"});
  const PlacementAnswer answer = Place(4, "leaf");
  ASSERT_NE(answer.refusal(), nullptr);
  const Reason& reason = *answer.refusal();
  EXPECT_EQ(reason.code, ReasonCode::kTopology);
  EXPECT_EQ(reason.have, 3);
  EXPECT_EQ(reason.need, 4);
  EXPECT_EQ(reason.level, "leaf");
  EXPECT_EQ(reason.domain, "z/l2");
  EXPECT_FALSE(reason.never);
  EXPECT_EQ(reason.proven, ProvenThrough::kFeasibility);
  EXPECT_THAT(reason.exclusions,
              testing::Contains(Exclusion{ExclusionCause::kLevelMissing, "leaf", 1}));
}

TEST_F(AcrossTest, MoreThanAnEmptyLeafHasIsNever) {
  AddAll(8);
  Fill({"a0", "a1", "a2", "a3"});
  const PlacementAnswer answer = Place(5, "leaf");
  ASSERT_NE(answer.refusal(), nullptr);
  EXPECT_EQ(answer.refusal()->code, ReasonCode::kTopology);
  EXPECT_TRUE(answer.refusal()->never);
  EXPECT_FALSE(Place(4, "leaf").refusal()->never);
}

TEST_F(AcrossTest, WithoutABudgetTheAnswerSaysThatItIsNotProven) {
  AddAll(8);
  PlacementRequest request;
  request.roles = {{world_.Gpus(8), 2}};
  request.required_level = "leaf";
  request.max_cells = 10;
  const PlacementAnswer answer = world_.Place(request);
  EXPECT_EQ(world_.Where(answer), "a0:1 a1:1");
  EXPECT_EQ(answer.placement()->proven, ProvenThrough::kFeasibility);
}

}  // namespace
}  // namespace phalanx

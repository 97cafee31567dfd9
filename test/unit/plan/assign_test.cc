#include "core/plan/assign.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

std::vector<uint32_t> Values(const std::vector<HostId>& hosts) {
  std::vector<uint32_t> out;
  for (HostId host : hosts) out.push_back(host.value());
  return out;
}

TEST(AssignTest, NeighboursInRankAreNeighboursInTheTree) {
  Placement placement;
  placement.slots = {{HostId(2), ShapeId(0), 2}, {HostId(5), ShapeId(0), 1}};
  const std::vector<ShapeId> shapes(3, ShapeId(0));
  EXPECT_EQ(Values(AssignHosts(shapes, placement)), (std::vector<uint32_t>{2, 2, 5}));
}

TEST(AssignTest, EachShapeTakesItsOwnSlots) {
  Placement placement;
  placement.slots = {
      {HostId(0), ShapeId(1), 1}, {HostId(1), ShapeId(0), 1}, {HostId(1), ShapeId(1), 1}};
  const std::vector<ShapeId> shapes = {ShapeId(0), ShapeId(1), ShapeId(1)};
  EXPECT_EQ(Values(AssignHosts(shapes, placement)), (std::vector<uint32_t>{1, 0, 1}));
}

TEST(AssignTest, TooFewSlotsGiveNothing) {
  Placement placement;
  placement.slots = {{HostId(0), ShapeId(0), 1}};
  const std::vector<ShapeId> shapes(2, ShapeId(0));
  EXPECT_TRUE(AssignHosts(shapes, placement).empty());
}

using Indexes = std::vector<std::optional<int32_t>>;

TEST(AssignTest, RanksFollowOrderWithoutIndexes) {
  EXPECT_EQ(AssignRanks(Indexes(3), {}, 3), (std::vector<int32_t>{0, 1, 2}));
}

TEST(AssignTest, IndexesAreHonoured) {
  EXPECT_EQ(AssignRanks(Indexes{2, std::nullopt, 0}, {}, 3), (std::vector<int32_t>{2, 1, 0}));
}

TEST(AssignTest, AReplacementTakesTheRankThatIsMissing) {
  EXPECT_EQ(AssignRanks(Indexes(1), {0, 1, 3}, 4), (std::vector<int32_t>{2}));
}

TEST(AssignTest, DoubleAndAbsurdIndexesGetWhatIsLeft) {
  EXPECT_EQ(AssignRanks(Indexes{1, 1, 99, -3}, {}, 4), (std::vector<int32_t>{1, 0, 2, 3}));
}

}  // namespace
}  // namespace phalanx

#include "core/plan/refusals.h"

#include <gtest/gtest.h>

#include "core/plan/exclusions.h"

namespace phalanx {
namespace {

PlacementRequest Request(std::vector<RoleRequest> roles, std::string level = "") {
  PlacementRequest request;
  request.roles = std::move(roles);
  request.required_level = std::move(level);
  return request;
}

TEST(RefusalsTest, ClassIgnoresOrderOfRolesAndPreferences) {
  PlacementRequest a = Request({{ShapeId(1), 2}, {ShapeId(0), 3}});
  PlacementRequest b = Request({{ShapeId(0), 3}, {ShapeId(1), 2}});
  b.preferred_level = "rack";
  EXPECT_EQ(ClassOf(a), ClassOf(b));
  b.required_level = "rack";
  EXPECT_NE(ClassOf(a), ClassOf(b));
  EXPECT_NE(ClassOf(a), ClassOf(Request({{ShapeId(1), 2}, {ShapeId(0), 4}})));
}

TEST(RefusalsTest, HoldsUntilARelease) {
  Refusals refusals;
  const RequestClass request = ClassOf(Request({{ShapeId(0), 3}}));
  EXPECT_EQ(refusals.Find(request), nullptr);
  Reason reason;
  reason.code = ReasonCode::kCapacity;
  refusals.Remember(request, reason);
  ASSERT_NE(refusals.Find(request), nullptr);
  EXPECT_EQ(refusals.Find(request)->code, ReasonCode::kCapacity);
  refusals.NoteRelease();
  EXPECT_EQ(refusals.Find(request), nullptr);
}

TEST(ExclusionsTest, EndPerShapeAndNode) {
  Exclusions out;
  EXPECT_EQ(out.NextExpiry(), Time::Never());
  out.Add(ShapeId(1), NodeId(4), "Fit", Time{100});
  out.Add(ShapeId(1), NodeId(2), "Fit", Time{200});
  out.Add(ShapeId(0), NodeId(9), "Volume", Time{300});
  std::vector<HostExclusion> found;
  out.Collect(ShapeId(1), &found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].node, NodeId(2));
  EXPECT_EQ(found[1].node, NodeId(4));
  EXPECT_EQ(out.NextExpiry(), Time{100});
  EXPECT_FALSE(out.Expire(Time{99}));
  EXPECT_TRUE(out.Expire(Time{200}));
  EXPECT_EQ(out.size(), 1u);
}

TEST(ExclusionsTest, SecondConflictMovesTheEnd) {
  Exclusions out;
  out.Add(ShapeId(0), NodeId(0), "A", Time{100});
  out.Add(ShapeId(0), NodeId(0), "B", Time{500});
  EXPECT_FALSE(out.Expire(Time{100}));
  EXPECT_EQ(out.entries().begin()->second.plugin, "B");
  EXPECT_EQ(out.NextExpiry(), Time{500});
}

}  // namespace
}  // namespace phalanx

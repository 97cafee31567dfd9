#include "core/cluster/ledger.h"

#include <gtest/gtest.h>

#include <random>

#include "core/cluster/resources.h"
#include "core/cluster/shapes.h"

namespace phalanx {
namespace {

class LedgerTest : public testing::Test {
 protected:
  Resources Of(const QuantityMap& quantities) { return Resources::From(quantities, names_); }
  ResourceId Gpu() { return names_.Intern("nvidia.com/gpu"); }

  ResourceNames names_;
  Ledger ledger_;
};

TEST_F(LedgerTest, CountsBoundAndHeldApartAndTogether) {
  ledger_.Book(PodId(1), NodeId(0), BookingKind::kBound, Of({{"nvidia.com/gpu", 4}}));
  ledger_.Book(PodId(2), NodeId(0), BookingKind::kHeld, Of({{"nvidia.com/gpu", 2}}));
  EXPECT_EQ(ledger_.bound(NodeId(0)).Get(Gpu()), 4);
  EXPECT_EQ(ledger_.held(NodeId(0)).Get(Gpu()), 2);
  EXPECT_EQ(ledger_.Used(NodeId(0), Gpu()), 6);
  EXPECT_EQ(ledger_.Used(NodeId(9), Gpu()), 0);
}

// A member is held, then bound: one entry, on the node that was booked last.
TEST_F(LedgerTest, BookingAgainReplaces) {
  const Resources one = Of({{"nvidia.com/gpu", 1}});
  ledger_.Book(PodId(1), NodeId(0), BookingKind::kHeld, one);
  ledger_.Book(PodId(1), NodeId(0), BookingKind::kHeld, one);
  EXPECT_EQ(ledger_.Used(NodeId(0), Gpu()), 1);
  ledger_.Book(PodId(1), NodeId(3), BookingKind::kBound, Of({{"nvidia.com/gpu", 5}}));
  EXPECT_EQ(ledger_.Used(NodeId(0), Gpu()), 0);
  EXPECT_EQ(ledger_.bound(NodeId(3)).Get(Gpu()), 5);
  EXPECT_EQ(ledger_.size(), 1u);
  EXPECT_EQ(ledger_.Find(PodId(1))->node, NodeId(3));
}

TEST_F(LedgerTest, ReleasingTwiceIsReleasingOnce) {
  ledger_.Book(PodId(1), NodeId(0), BookingKind::kBound, Of({{"cpu", 100}}));
  ledger_.Release(PodId(1));
  ledger_.Release(PodId(1));
  EXPECT_TRUE(ledger_.bound(NodeId(0)).entries().empty());
  EXPECT_FALSE(ledger_.Find(PodId(1)).has_value());
}

TEST_F(LedgerTest, SumsEqualARecomputationThroughoutARandomHistory) {
  std::mt19937_64 random(7);
  const Resources amounts[] = {Of({{"cpu", 1}}), Of({{"cpu", 2}, {"nvidia.com/gpu", 1}}),
                               Of({{"memory", 3}, {"nvidia.com/gpu", 8}}), Of({})};
  for (int step = 0; step < 2000; ++step) {
    const PodId pod(static_cast<uint32_t>(random() % 40));
    if (random() % 3 == 0) {
      ledger_.Release(pod);
    } else {
      const NodeId node(static_cast<uint32_t>(random() % 6));
      const BookingKind kind = random() % 2 ? BookingKind::kBound : BookingKind::kHeld;
      ledger_.Book(pod, node, kind, amounts[random() % 4]);
    }
    ASSERT_TRUE(ledger_.CheckSums()) << "step " << step;
  }
}

TEST(ResourcesTest, DropsZerosSoThatEqualQuantitiesAreEqual) {
  ResourceNames names;
  Resources a = Resources::From({{"cpu", 2}, {"memory", 0}}, names);
  EXPECT_EQ(a, Resources::From({{"cpu", 2}}, names));
  a.Add(Resources::From({{"memory", 5}}, names));
  a.Subtract(Resources::From({{"cpu", 2}}, names));
  EXPECT_EQ(a.ToMap(names), (QuantityMap{{"memory", 5}}));
}

TEST(ResourcesDeathTest, NeverGoesBelowZero) {
  ResourceNames names;
  Resources a = Resources::From({{"cpu", 2}}, names);
  EXPECT_DEATH(a.Subtract(Resources::From({{"cpu", 3}}, names)), "would be -1");
}

TEST(ShapeTableTest, EqualShapesHaveOneIdWhateverTheOrderOfTheirTerms) {
  ShapeTable shapes;
  const NodeSelectorTerm a{{"a", SelectorOp::kExists, {}, false}};
  const NodeSelectorTerm b{{"b", SelectorOp::kExists, {}, false}};
  const Toleration t{"t", true, "", std::nullopt};
  const Toleration u{"u", true, "", std::nullopt};
  const ShapeId first = shapes.Intern({{}, {{"k", "v"}}, {a, b}, {t, u}});
  EXPECT_EQ(shapes.Intern({{}, {{"k", "v"}}, {b, a}, {u, t}}), first);
  EXPECT_NE(shapes.Intern({{}, {{"k", "w"}}, {a, b}, {t, u}}), first);
  EXPECT_EQ(shapes.size(), 2u);
}

TEST(ShapeTableTest, ACopyStandsByItself) {
  ShapeTable copy;
  {
    ShapeTable original;
    original.Intern({{}, {{"k", "v"}}, {}, {}});
    copy = original;
  }
  EXPECT_EQ(copy.Get(ShapeId(0)).node_selector.at("k"), "v");
  EXPECT_EQ(copy.Intern({{}, {{"k", "v"}}, {}, {}}), ShapeId(0));
}

}  // namespace
}  // namespace phalanx

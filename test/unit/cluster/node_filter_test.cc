#include "core/cluster/node_filter.h"

#include <gtest/gtest.h>

namespace phalanx {
namespace {

NodeObject Node(LabelMap labels, std::vector<Taint> taints = {}) {
  NodeObject node;
  node.name = "n1";
  node.uid = "u1";
  node.labels = std::move(labels);
  node.taints = std::move(taints);
  return node;
}

std::string Out(const NodeObject& node, const Shape& shape, FilterScope scope = FilterScope::kNow) {
  const auto out = FilterNode(node, shape, {}, scope);
  if (!out) return "fits";
  const std::string detail = FilterDetail(*out);
  return detail.empty() ? "out" : detail;
}

NodeRequirement Need(std::string key, SelectorOp op, std::vector<std::string> values = {}) {
  return {std::move(key), op, std::move(values), false};
}

TEST(RequirementTest, FollowsKubernetesForPresentAndAbsentLabels) {
  const NodeObject node = Node({{"disk", "ssd"}, {"gen", "7"}, {"odd", "7a"}});
  EXPECT_TRUE(Matches(Need("disk", SelectorOp::kIn, {"hdd", "ssd"}), node));
  EXPECT_FALSE(Matches(Need("disk", SelectorOp::kIn, {"hdd"}), node));
  EXPECT_FALSE(Matches(Need("none", SelectorOp::kIn, {"ssd"}), node));
  EXPECT_FALSE(Matches(Need("disk", SelectorOp::kNotIn, {"ssd"}), node));
  EXPECT_TRUE(Matches(Need("disk", SelectorOp::kNotIn, {"hdd"}), node));
  EXPECT_TRUE(Matches(Need("none", SelectorOp::kNotIn, {"ssd"}), node));
  EXPECT_TRUE(Matches(Need("disk", SelectorOp::kExists), node));
  EXPECT_FALSE(Matches(Need("none", SelectorOp::kExists), node));
  EXPECT_FALSE(Matches(Need("disk", SelectorOp::kDoesNotExist), node));
  EXPECT_TRUE(Matches(Need("none", SelectorOp::kDoesNotExist), node));
}

TEST(RequirementTest, GtAndLtCompareWholeNumbersOnly) {
  const NodeObject node =
      Node({{"gen", "7"}, {"odd", "7a"}, {"neg", "-3"}, {"big", "9223372036854775808"}});
  EXPECT_TRUE(Matches(Need("gen", SelectorOp::kGt, {"6"}), node));
  EXPECT_FALSE(Matches(Need("gen", SelectorOp::kGt, {"7"}), node));
  EXPECT_TRUE(Matches(Need("gen", SelectorOp::kLt, {"+10"}), node));
  EXPECT_TRUE(Matches(Need("neg", SelectorOp::kLt, {"0"}), node));
  EXPECT_FALSE(Matches(Need("odd", SelectorOp::kGt, {"6"}), node));
  EXPECT_FALSE(Matches(Need("gen", SelectorOp::kGt, {"six"}), node));
  EXPECT_FALSE(Matches(Need("gen", SelectorOp::kGt, {"1", "2"}), node));
  EXPECT_FALSE(Matches(Need("big", SelectorOp::kGt, {"1"}), node));
  EXPECT_FALSE(Matches(Need("none", SelectorOp::kLt, {"1"}), node));
}

TEST(RequirementTest, FieldsKnowTheNameOfTheNodeOnly) {
  const NodeObject node = Node({{"metadata.name", "n9"}});
  EXPECT_TRUE(Matches({"metadata.name", SelectorOp::kIn, {"n1"}, true}, node));
  EXPECT_FALSE(Matches({"metadata.name", SelectorOp::kIn, {"n9"}, true}, node));
  EXPECT_TRUE(Matches({"metadata.name", SelectorOp::kNotIn, {"n9"}, true}, node));
  EXPECT_FALSE(Matches({"metadata.name", SelectorOp::kExists, {}, true}, node));
  EXPECT_FALSE(Matches({"spec.other", SelectorOp::kIn, {""}, true}, node));
}

TEST(AffinityTest, OneMatchingTermIsEnoughAndAnEmptyTermMatchesNothing) {
  const NodeObject node = Node({{"disk", "ssd"}, {"zone", "a"}});
  Shape shape;
  shape.required_terms = {{Need("disk", SelectorOp::kIn, {"hdd"})},
                          {Need("disk", SelectorOp::kExists), Need("zone", SelectorOp::kExists)}};
  EXPECT_EQ(Out(node, shape), "fits");
  shape.required_terms[1].push_back(Need("rack", SelectorOp::kExists));
  EXPECT_EQ(Out(node, shape), "disk in (hdd)");
  shape.required_terms = {{}};
  EXPECT_EQ(Out(node, shape), "out");
}

TEST(AffinityTest, NodeSelectorAndTermsMustBothHold) {
  Shape shape;
  shape.node_selector = {{"gpu", "h100"}};
  shape.required_terms = {{Need("zone", SelectorOp::kIn, {"a", "b"})}};
  EXPECT_EQ(Out(Node({{"gpu", "h100"}, {"zone", "b"}}), shape), "fits");
  EXPECT_EQ(Out(Node({{"gpu", "a100"}, {"zone", "b"}}), shape), "gpu=h100");
  EXPECT_EQ(Out(Node({{"gpu", "h100"}, {"zone", "c"}}), shape), "zone in (a,b)");
}

TEST(TaintTest, NoScheduleAndNoExecuteKeepAwayAndPreferDoesNot) {
  const Shape shape;
  EXPECT_EQ(Out(Node({}, {{"k", "v", TaintEffect::kNoSchedule}}), shape), "k=v:NoSchedule");
  EXPECT_EQ(Out(Node({}, {{"k", "", TaintEffect::kNoExecute}}), shape), "k:NoExecute");
  EXPECT_EQ(Out(Node({}, {{"k", "v", TaintEffect::kPreferNoSchedule}}), shape), "fits");
}

TEST(TaintTest, TolerationsMatchByKeyValueAndEffect) {
  const Taint taint{"gpu", "yes", TaintEffect::kNoSchedule};
  EXPECT_TRUE(Tolerates({"gpu", false, "yes", TaintEffect::kNoSchedule}, taint));
  EXPECT_TRUE(Tolerates({"gpu", false, "yes", std::nullopt}, taint));
  EXPECT_TRUE(Tolerates({"gpu", true, "", std::nullopt}, taint));
  EXPECT_TRUE(Tolerates({"", true, "", std::nullopt}, taint));
  EXPECT_FALSE(Tolerates({"gpu", false, "no", std::nullopt}, taint));
  EXPECT_FALSE(Tolerates({"gpu", true, "", TaintEffect::kNoExecute}, taint));
  EXPECT_FALSE(Tolerates({"cpu", true, "", std::nullopt}, taint));
}

TEST(TaintTest, EveryTaintNeedsAToleration) {
  Shape shape;
  shape.tolerations = {{"a", true, "", std::nullopt}};
  const NodeObject node =
      Node({}, {{"a", "", TaintEffect::kNoSchedule}, {"b", "", TaintEffect::kNoSchedule}});
  EXPECT_EQ(Out(node, shape), "b:NoSchedule");
}

TEST(CordonTest, OnlyTheTolerationOfTheUnschedulableTaintPasses) {
  NodeObject node = Node({});
  node.unschedulable = true;
  Shape shape;
  EXPECT_EQ(FilterNode(node, shape, {}, FilterScope::kNow)->cause, ExclusionCause::kUnschedulable);
  shape.tolerations = {{"nvidia.com/gpu", true, "", std::nullopt}};
  EXPECT_EQ(FilterNode(node, shape, {}, FilterScope::kNow)->cause, ExclusionCause::kUnschedulable);
  shape.tolerations = {{"node.kubernetes.io/unschedulable", true, "", TaintEffect::kNoSchedule}};
  EXPECT_FALSE(FilterNode(node, shape, {}, FilterScope::kNow).has_value());
}

TEST(FilterTest, ReadinessComesFirstAndScopeLast) {
  NodeObject node = Node({}, {{"k", "", TaintEffect::kNoSchedule}});
  node.ready = false;
  node.unschedulable = true;
  const LabelMap scope = {{"pool", "gang"}};
  EXPECT_EQ(FilterNode(node, {}, scope, FilterScope::kNow)->cause, ExclusionCause::kNotReady);
  const auto out = FilterNode(Node({}), {}, scope, FilterScope::kNow);
  EXPECT_EQ(out->cause, ExclusionCause::kOutOfScope);
  EXPECT_EQ(FilterDetail(*out), "pool=gang");
}

// A node that is not ready will be: the gang waits, and is not told that nothing can ever help.
TEST(FilterTest, PassingStatesDoNotCountForEver) {
  NodeObject node = Node({}, {{"node.kubernetes.io/not-ready", "", TaintEffect::kNoSchedule}});
  node.ready = false;
  node.unschedulable = true;
  EXPECT_EQ(Out(node, {}, FilterScope::kEver), "fits");
  node.taints.push_back({"sku", "gpu", TaintEffect::kNoSchedule});
  EXPECT_EQ(Out(node, {}, FilterScope::kEver), "sku=gpu:NoSchedule");
}

}  // namespace
}  // namespace phalanx

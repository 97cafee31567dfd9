// Constraints on devices as requirements on node labels.
#include "wire/dialects/device_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "core/cluster/node_filter.h"

namespace phalanx::wire {
namespace {

constexpr char kMemory[] = "nvidia.com/gpu.memory";
constexpr char kMajor[] = "nvidia.com/gpu.compute.major";
constexpr char kMinor[] = "nvidia.com/gpu.compute.minor";

// What keeps a pod with these annotations off a node with these labels; "" for nothing.
std::string Out(const LabelMap& annotations, const LabelMap& labels,
                std::vector<NodeSelectorTerm> terms = {}) {
  std::vector<Problem> problems;
  Shape shape;
  shape.required_terms = std::move(terms);
  ReadDeviceRules(annotations, shape.required_terms, problems);
  EXPECT_TRUE(problems.empty());
  NodeObject node;
  node.labels = labels;
  const auto out = FilterNode(node, shape, {}, FilterScope::kNow);
  return out ? FilterDetail(*out) : "";
}

TEST(DeviceRulesTest, Memory) {
  const LabelMap wants{{kMinDeviceMemoryAnnotation, "80G"}};
  // 80,000,000,000 bytes are 76,293.9 MiB.
  EXPECT_EQ(Out(wants, {{kMemory, "76294"}}), "");
  EXPECT_EQ(Out(wants, {{kMemory, "76293"}}),
            "nvidia.com/gpu.memory > 76293 (min-device-memory 80G)");
  EXPECT_NE(Out(wants, {}), "");
  EXPECT_EQ(Out({{kMinDeviceMemoryAnnotation, "40Gi"}}, {{kMemory, "40960"}}), "");
  EXPECT_NE(Out({{kMinDeviceMemoryAnnotation, "40Gi"}}, {{kMemory, "40959"}}), "");
}

TEST(DeviceRulesTest, TheSecondNumberCountsBelowTheSameFirst) {
  const LabelMap wants{{kMinCapabilityAnnotation, "8.9"}};
  const auto has = [&](const char* major, const char* minor) {
    return Out(wants, {{kMajor, major}, {kMinor, minor}}).empty();
  };
  EXPECT_TRUE(has("8", "9"));
  EXPECT_TRUE(has("9", "0"));
  EXPECT_TRUE(has("10", "0"));
  EXPECT_FALSE(has("8", "6"));
  EXPECT_FALSE(has("7", "9"));
  EXPECT_FALSE(has("", "9"));
  EXPECT_EQ(Out({{kMinCapabilityAnnotation, "9"}}, {{kMajor, "9"}, {kMinor, "0"}}), "");
}

TEST(DeviceRulesTest, Driver) {
  const auto has = [&](const char* major, const char* minor) {
    return Out({{kMinDriverAnnotation, "550.54"}},
               {{"nvidia.com/cuda.driver-version.major", major},
                {"nvidia.com/cuda.driver-version.minor", minor}})
        .empty();
  };
  EXPECT_TRUE(has("550", "54"));
  EXPECT_TRUE(has("570", "26"));
  EXPECT_FALSE(has("550", "40"));
  EXPECT_FALSE(has("535", "161"));
}

// Whatever term of the author's affinity holds, the device must do.
TEST(DeviceRulesTest, TogetherWithNodeAffinity) {
  const auto in = [](const char* value) {
    NodeRequirement requirement{.key = "pool", .op = SelectorOp::kIn};
    requirement.values = {value};
    return NodeSelectorTerm{requirement};
  };
  const LabelMap wants{{kMinCapabilityAnnotation, "9.0"}, {kMinDeviceMemoryAnnotation, "80G"}};
  const auto has = [&](const char* pool, const char* major, const char* memory) {
    return Out(wants, {{"pool", pool}, {kMajor, major}, {kMinor, "0"}, {kMemory, memory}},
               {in("a"), in("b")})
        .empty();
  };
  EXPECT_TRUE(has("a", "9", "81559"));
  EXPECT_TRUE(has("b", "10", "81559"));
  EXPECT_FALSE(has("c", "9", "81559"));
  EXPECT_FALSE(has("b", "8", "81559"));
  EXPECT_FALSE(has("b", "9", "40960"));
}

TEST(DeviceRulesTest, WhatCanNotBeReadIsNamed) {
  for (const auto& [key, bad] :
       std::vector<std::pair<const char*, const char*>>{{kMinDeviceMemoryAnnotation, "80 GB"},
                                                        {kMinDeviceMemoryAnnotation, "0"},
                                                        {kMinCapabilityAnnotation, "sm_90"},
                                                        {kMinCapabilityAnnotation, "9.x"},
                                                        {kMinDriverAnnotation, "550.54.15"},
                                                        {kMinDriverAnnotation, ""}}) {
    std::vector<NodeSelectorTerm> terms;
    std::vector<Problem> problems;
    ReadDeviceRules({{key, bad}}, terms, problems);
    EXPECT_TRUE(terms.empty()) << bad;
    ASSERT_EQ(problems.size(), 1U) << bad;
    EXPECT_EQ(problems[0].field, fmt::format("metadata.annotations[{}]", key));
    EXPECT_EQ(problems[0].value, bad);
  }
}

}  // namespace
}  // namespace phalanx::wire

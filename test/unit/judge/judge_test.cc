#include "core/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phalanx/device_share.h"
#include "phalanx/shared_pool.h"

namespace phalanx::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kGpu[] = "nvidia.com/gpu";

NodeObject Node(std::string name, LabelMap labels = {}) {
  NodeObject node;
  node.name = std::move(name);
  node.uid = "uid-" + node.name;
  node.labels = std::move(labels);
  node.allocatable = {{kGpu, 8}, {"pods", 110}};
  return node;
}

Assignment Member(std::string name, std::string node, int64_t gpus, std::string level = "") {
  Assignment member;
  member.pod.ns = "team";
  member.pod.name = std::move(name);
  member.pod.requests = {{kGpu, gpus}, {"pods", 1}};
  member.pod.membership.emplace().required_level = std::move(level);
  member.node = std::move(node);
  return member;
}

TEST(JudgeTest, AcceptsAPlacementThatFits) {
  World world{{Node("a"), Node("b")}, {{"a", {{kGpu, 4}}}}, {}};
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 4), Member("p1", "b", 8)}), IsEmpty());
}

TEST(JudgeTest, FindsOvercommitmentBySumOfMembersAndOccupants) {
  World world{{Node("a")}, {{"a", {{kGpu, 4}}}}, {}};
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 2), Member("p1", "a", 3)}),
              ElementsAre(HasSubstr("a: nvidia.com/gpu is overcommitted, 1 above 8")));
  world.nodes[0].allocatable["pods"] = 1;
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 1), Member("p1", "a", 1)}),
              ElementsAre(HasSubstr("pods")));
}

// Ten licences of which five are taken on another node: five more, wherever they go.
TEST(JudgeTest, WhatNodesShareCountsInAll) {
  const std::string licence = std::string(kSharedPool) + "ansys";
  World world{{Node("a"), Node("b"), Node("c")}, {{"c", {{licence, 5}}}}, {}};
  world.topologies = {{.pools = {{"ansys", 10}}}};
  std::vector<Assignment> gang = {Member("p0", "a", 1), Member("p1", "b", 1)};
  gang[0].pod.requests[licence] = 2;
  gang[1].pod.requests[licence] = 3;
  EXPECT_THAT(CheckPlacement(world, gang), IsEmpty());
  gang[1].pod.requests[licence] = 4;
  EXPECT_THAT(CheckPlacement(world, gang),
              ElementsAre(HasSubstr(licence + " is overcommitted: 11 of 10")));
  // Of two declarations the lesser counts; nobody may take what nobody declares.
  world.topologies.push_back({.pools = {{"ansys", 20}}});
  EXPECT_THAT(CheckPlacement(world, gang), ElementsAre(HasSubstr("11 of 10")));
  world.topologies.clear();
  EXPECT_THAT(CheckPlacement(world, gang), ElementsAre(HasSubstr("11 of 0")));
}

TEST(JudgeTest, AResourceThatTheNodeLacksIsOvercommitted) {
  World world{{Node("a")}, {}, {}};
  Assignment member = Member("p0", "a", 1);
  member.pod.requests["rdma/ib"] = 1;
  EXPECT_THAT(CheckPlacement(world, {member}), ElementsAre(HasSubstr("rdma/ib")));
}

TEST(JudgeTest, ANodeHasOneOfEachPort) {
  World world{{Node("a")}, {{"a", {{"host-port/TCP/80", 1}}}}, {}};
  Assignment first = Member("p0", "a", 1);
  first.pod.requests["host-port/TCP/90"] = 1;
  EXPECT_THAT(CheckPlacement(world, {first}), IsEmpty());
  Assignment second = Member("p1", "a", 1);
  second.pod.requests["host-port/TCP/90"] = 1;
  EXPECT_THAT(CheckPlacement(world, {first, second}), ElementsAre(HasSubstr("host-port/TCP/90")));
  first.pod.requests["host-port/TCP/80"] = 1;
  EXPECT_THAT(CheckPlacement(world, {first}), ElementsAre(HasSubstr("host-port/TCP/80")));
}

// 7 whole devices and 0.6 + 0.3 of the last one leave room for 0.1 more.
TEST(JudgeTest, PartsOfDevicesCountTowardsTheDevices) {
  const std::string part = std::string(kShareOf) + kGpu;
  World world{{Node("a")}, {{"a", {{kGpu, 7}}}, {"a", {{part, 600}}}}, {}};
  Assignment member = Member("p0", "a", 0);
  member.pod.requests[part] = 400;
  EXPECT_THAT(CheckPlacement(world, {member}), IsEmpty());
  member.pod.requests[part] = 401;
  EXPECT_THAT(CheckPlacement(world, {member}),
              ElementsAre(HasSubstr("a: nvidia.com/gpu is overcommitted, 1 above 8")));
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 1)}), ElementsAre(HasSubstr(kGpu)));
}

TEST(JudgeTest, OverfullNodesAreNotBlamedOnMembersThatDoNotAddToIt) {
  World world{{Node("a")}, {{"a", {{"memory", 100}}}}, {}};
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 8)}), IsEmpty());
}

TEST(JudgeTest, EveryMemberNeedsANodeThatExists) {
  World world{{Node("a")}, {}, {}};
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "", 1), Member("p1", "gone", 1)}),
              ElementsAre(HasSubstr("team/p0: there is no node ''"),
                          HasSubstr("team/p1: there is no node 'gone'")));
}

TEST(JudgeTest, HealthCordonTaintAndScope) {
  World world{{Node("a")}, {}, {{"pool", "gang"}}};
  world.nodes[0].ready = false;
  world.nodes[0].unschedulable = true;
  world.nodes[0].taints = {{"x", "", TaintEffect::kNoExecute},
                           {"y", "", TaintEffect::kPreferNoSchedule}};
  EXPECT_THAT(CheckPlacement(world, {Member("p0", "a", 1)}),
              ElementsAre(HasSubstr("not ready"), HasSubstr("cordoned"), HasSubstr("taint x"),
                          HasSubstr("out of scope")));
  world.nodes[0].ready = true;
  world.nodes[0].labels["pool"] = "gang";
  Assignment member = Member("p0", "a", 1);
  member.pod.tolerations = {{"", true, "", std::nullopt}};
  EXPECT_THAT(CheckPlacement(world, {member}), IsEmpty());
}

TEST(JudgeTest, SelectorsAndRequiredTerms) {
  World world{{Node("a", {{"disk", "ssd"}, {"gen", "7"}})}, {}, {}};
  Assignment member = Member("p0", "a", 1);
  member.pod.node_selector = {{"disk", "hdd"}};
  EXPECT_THAT(CheckPlacement(world, {member}), ElementsAre(HasSubstr("disk=hdd")));
  member.pod.node_selector = {{"disk", "ssd"}};
  member.pod.required_terms = {{{"gen", SelectorOp::kGt, {"7"}, false}},
                               {{"metadata.name", SelectorOp::kIn, {"b"}, true}}};
  EXPECT_THAT(CheckPlacement(world, {member}), ElementsAre(HasSubstr("no required term")));
  member.pod.required_terms.push_back({{"gen", SelectorOp::kGt, {"6"}, false},
                                       {"gen", SelectorOp::kLt, {"8"}, false},
                                       {"rack", SelectorOp::kDoesNotExist, {}, false},
                                       {"disk", SelectorOp::kNotIn, {"hdd"}, false}});
  EXPECT_THAT(CheckPlacement(world, {member}), IsEmpty());
  member.pod.required_terms = {{}};
  EXPECT_THAT(CheckPlacement(world, {member}), ElementsAre(HasSubstr("no required term")));
}

// Equal label values under two zones are two domains.
TEST(JudgeTest, RequiredLevelComparesWholePaths) {
  const auto labels = [](std::string zone, std::string clique) {
    return LabelMap{{"topology.kubernetes.io/zone", zone}, {"nvidia.com/gpu.clique", clique}};
  };
  World world{{Node("a", labels("z1", "R.1")), Node("b", labels("z1", "R.2")),
               Node("c", labels("z2", "R.1")), Node("d")},
              {},
              {}};
  const auto check = [&](std::string level, std::string one, std::string other) {
    return CheckPlacement(world, {Member("p0", one, 1, level), Member("p1", other, 1, level)});
  };
  EXPECT_THAT(check("rack", "a", "b"), IsEmpty());
  EXPECT_THAT(check("nvlink", "a", "b"), ElementsAre(HasSubstr("2 domains")));
  EXPECT_THAT(check("nvidia.com/gpu.clique", "a", "b"), ElementsAre(HasSubstr("2 domains")));
  EXPECT_THAT(check("nvlink", "a", "c"), ElementsAre(HasSubstr("2 domains")));
  EXPECT_THAT(check("zone", "a", "d"), ElementsAre(HasSubstr("d is in no zone")));
  EXPECT_THAT(check("spine", "a", "b"), ElementsAre(HasSubstr("no node has")));
  EXPECT_THAT(check("host", "a", "a"), IsEmpty());
  EXPECT_THAT(check("kubernetes.io/hostname", "a", "b"), ElementsAre(HasSubstr("2 domains")));
}

}  // namespace
}  // namespace phalanx::judge

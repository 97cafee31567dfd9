// Each class of bad input, and that the rest of the message survives it.
#include "wire/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/dialects/label.h"

namespace phalanx::wire {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const DecodeOptions kOptions{{"phalanx"}, {"nvidia.com/gpu", "nvidia.com/mig-*"}};

pb::Node GoodNode(const std::string& name) {
  pb::Node node;
  node.set_name(name);
  node.set_uid("uid-" + name);
  node.set_ready(true);
  (*node.mutable_allocatable())["nvidia.com/gpu"] = 8;
  (*node.mutable_allocatable())["cpu"] = 64000;
  (*node.mutable_labels())["topology.kubernetes.io/zone"] = "a";
  return node;
}

pb::Pod GoodPod(const std::string& name) {
  pb::Pod pod;
  pod.set_uid("uid-" + name);
  pod.set_namespace_("team");
  pod.set_name(name);
  pod.set_scheduler_name("phalanx");
  pod.set_phase(pb::Pod::PHASE_PENDING);
  pod.set_created_ms(1'700'000'000'000);
  pod.set_bound_ms(1'700'000'060'000);
  (*pod.mutable_requests())["nvidia.com/gpu"] = 4;
  return pod;
}

struct Decoded {
  Changes changes;
  std::vector<Refusal> refusals;
};

Decoded Decode(const pb::Changes& message) {
  Decoded out;
  out.changes = DecodeChanges(message, kOptions, out.refusals);
  return out;
}

Decoded DecodeOne(const pb::Pod& pod) {
  pb::Changes message;
  *message.add_pods() = pod;
  return Decode(message);
}

TEST(DecodeChanges, CarriesEveryFieldOfANode) {
  pb::Changes message;
  pb::Node* node = message.add_nodes();
  *node = GoodNode("n1");
  node->set_unschedulable(true);
  pb::Taint* taint = node->add_taints();
  taint->set_key("gpu");
  taint->set_value("yes");
  taint->set_effect(pb::Taint::EFFECT_NO_EXECUTE);
  message.add_removed_node_names("n0");
  message.add_removed_pod_uids("u0");
  Decoded decoded = Decode(message);
  EXPECT_THAT(decoded.refusals, IsEmpty());
  EXPECT_THAT(decoded.changes.removed_nodes, ElementsAre("n0"));
  EXPECT_THAT(decoded.changes.removed_pods, ElementsAre("u0"));
  ASSERT_THAT(decoded.changes.nodes, SizeIs(1));
  const NodeObject& n = decoded.changes.nodes[0];
  EXPECT_EQ(n.name, "n1");
  EXPECT_EQ(n.uid, "uid-n1");
  EXPECT_TRUE(n.unschedulable);
  EXPECT_TRUE(n.ready);
  EXPECT_EQ(n.allocatable, (QuantityMap{{"cpu", 64000}, {"nvidia.com/gpu", 8}}));
  EXPECT_EQ(n.labels, (LabelMap{{"topology.kubernetes.io/zone", "a"}}));
  EXPECT_THAT(n.taints, ElementsAre(Taint{"gpu", "yes", TaintEffect::kNoExecute}));
}

TEST(DecodeChanges, AbsurdQuantitiesOfANodeAreRefusedAndTheOtherNodesGoOn) {
  pb::Changes message;
  pb::Node bad = GoodNode("bad");
  (*bad.mutable_allocatable())["nvidia.com/gpu"] = -8;
  (*bad.mutable_allocatable())["memory"] = kMaxQuantity + 1;
  *message.add_nodes() = bad;
  *message.add_nodes() = GoodNode("good");
  Decoded decoded = Decode(message);
  ASSERT_THAT(decoded.changes.nodes, SizeIs(2));
  EXPECT_EQ(decoded.changes.nodes[0].allocatable, (QuantityMap{{"cpu", 64000}}));
  EXPECT_EQ(decoded.changes.nodes[1].allocatable.at("nvidia.com/gpu"), 8);
  ASSERT_THAT(decoded.refusals, SizeIs(2));
  EXPECT_EQ(ToString(decoded.refusals[1]),
            "node/bad: status.allocatable[nvidia.com/gpu] is '-8', expected a whole number from 0 "
            "to 70368744177664");
  EXPECT_FALSE(decoded.refusals[1].left_out);
}

TEST(DecodeChanges, ANodeThatCanNotBeReadIsTakenOut) {
  pb::Changes message;
  pb::Node nameless = GoodNode("x");
  nameless.clear_name();
  *message.add_nodes() = nameless;
  pb::Node no_uid = GoodNode("no-uid");
  no_uid.clear_uid();
  *message.add_nodes() = no_uid;
  pb::Node bad_taint = GoodNode("bad-taint");
  bad_taint.add_taints()->set_key("k");
  bad_taint.mutable_taints(0)->set_effect(static_cast<pb::Taint::Effect>(77));
  *message.add_nodes() = bad_taint;
  *message.add_nodes() = GoodNode("good");
  Decoded decoded = Decode(message);
  ASSERT_THAT(decoded.changes.nodes, ElementsAre(Field(&NodeObject::name, "good")));
  // An older state of them must not be planned on.
  EXPECT_THAT(decoded.changes.removed_nodes, ElementsAre("no-uid", "bad-taint"));
  ASSERT_THAT(decoded.refusals, SizeIs(3));
  EXPECT_EQ(decoded.refusals[0].problem.field, "metadata.name");
  EXPECT_EQ(decoded.refusals[1].problem.field, "metadata.uid");
  EXPECT_THAT(ToString(decoded.refusals[2]),
              AllOf(HasSubstr("spec.taints[0].effect is '77'"), HasSubstr("left out")));
}

TEST(DecodeChanges, CarriesEveryFieldOfAPod) {
  pb::Pod pod = GoodPod("p");
  pod.set_node_name("n1");
  pod.set_phase(pb::Pod::PHASE_FAILED);
  pod.set_phase_reason("UnexpectedAdmissionError");
  pod.set_deleting(true);
  pod.set_priority(-5);
  pod.mutable_owner()->set_kind("Job");
  pod.mutable_owner()->set_name("train");
  pod.add_scheduling_gates("kueue.x-k8s.io/admission");
  (*pod.mutable_node_selector())["pool"] = "gpu";
  pod.add_unresolved_objects("claim/shared");
  pod.set_termination_grace_ms(30'000);
  auto* requirement = pod.add_required_node_terms()->add_requirements();
  requirement->set_key("gpu-generation");
  requirement->set_operator_(pb::NodeRequirement::OPERATOR_GT);
  requirement->add_values("8");
  pb::Toleration* toleration = pod.add_tolerations();
  toleration->set_key("gpu");
  toleration->set_operator_(pb::Toleration::OPERATOR_EXISTS);
  toleration->set_effect(pb::Taint::EFFECT_NO_SCHEDULE);
  Decoded decoded = DecodeOne(pod);
  EXPECT_THAT(decoded.refusals, IsEmpty());
  ASSERT_THAT(decoded.changes.pods, SizeIs(1));
  const PodObject& p = decoded.changes.pods[0];
  EXPECT_TRUE(p.ours);
  EXPECT_EQ(p.node, "n1");
  EXPECT_EQ(p.phase, PodPhase::kFailed);
  EXPECT_EQ(p.phase_reason, "UnexpectedAdmissionError");
  EXPECT_TRUE(p.deleting);
  EXPECT_EQ(p.priority, -5);
  EXPECT_EQ(p.created.ms, 1'700'000'000'000);
  EXPECT_EQ(p.bound.ms, 1'700'000'060'000);
  EXPECT_EQ(p.owner.kind, "Job");
  EXPECT_THAT(p.gates, ElementsAre("kueue.x-k8s.io/admission"));
  EXPECT_EQ(p.node_selector.at("pool"), "gpu");
  EXPECT_THAT(p.unresolved_objects, ElementsAre("claim/shared"));
  EXPECT_EQ(p.termination_grace, Duration::Seconds(30));
  EXPECT_THAT(
      p.required_terms,
      ElementsAre(ElementsAre(NodeRequirement{"gpu-generation", SelectorOp::kGt, {"8"}, false})));
  EXPECT_THAT(p.tolerations, ElementsAre(Toleration{"gpu", true, "", TaintEffect::kNoSchedule}));
}

TEST(DecodeChanges, AGangOfOneIsAPodThatAsksForAnAccelerator) {
  EXPECT_EQ(DecodeOne(GoodPod("solo")).changes.pods[0].membership->gang,
            (GangKey{"team", "pod", "solo"}));
  pb::Pod mig = GoodPod("mig");
  mig.clear_requests();
  (*mig.mutable_requests())["nvidia.com/mig-1g.10gb"] = 1;
  EXPECT_TRUE(DecodeOne(mig).changes.pods[0].membership.has_value());
  pb::Pod loose = GoodPod("web");
  loose.clear_requests();
  (*loose.mutable_requests())["cpu"] = 100;
  (*loose.mutable_requests())["nvidia.com/gpu"] = 0;
  EXPECT_FALSE(DecodeOne(loose).changes.pods[0].membership.has_value());
}

TEST(DecodeChanges, PodsOfOtherSchedulersAreCountedAndNeverMembers) {
  pb::Pod foreign = GoodPod("f");
  foreign.set_scheduler_name("default-scheduler");
  (*foreign.mutable_labels())[kGangLabel] = "train";
  (*foreign.mutable_labels())[kGangSizeLabel] = "2";
  (*foreign.mutable_requests())["memory"] = kMaxQuantity + 5;
  Decoded decoded = DecodeOne(foreign);
  const PodObject& pod = decoded.changes.pods[0];
  EXPECT_FALSE(pod.ours);
  EXPECT_FALSE(pod.membership.has_value());
  // More than any host has: the host counts as full, which is the safe reading.
  EXPECT_EQ(pod.requests.at("memory"), kMaxQuantity);
  ASSERT_THAT(decoded.refusals, SizeIs(1));
  EXPECT_THAT(decoded.changes.refused_pods, IsEmpty());
}

TEST(DecodeChanges, WhatIsWrongWithAMembersRequestBecomesTheReasonOfItsGang) {
  pb::Pod pod = GoodPod("p");
  (*pod.mutable_requests())["cpu"] = -1;
  pod.add_tolerations()->set_key("x");
  Decoded decoded = DecodeOne(pod);
  const auto& problems = decoded.changes.pods[0].membership->problems;
  ASSERT_THAT(problems, SizeIs(2));
  EXPECT_EQ(problems[0].field, "spec.containers.resources.requests[cpu]");
  EXPECT_EQ(problems[0].value, "-1");
  EXPECT_EQ(problems[1].field, "spec.tolerations[0].operator");
  EXPECT_THAT(decoded.refusals, SizeIs(2));
  EXPECT_THAT(decoded.changes.refused_pods, IsEmpty()) << "the gang's reason tells it";
}

TEST(DecodeChanges, ALoosePodsAuthorIsToldByAnEvent) {
  pb::Pod pod = GoodPod("web");
  pod.clear_requests();
  pod.set_phase(static_cast<pb::Pod::Phase>(42));
  Decoded decoded = DecodeOne(pod);
  ASSERT_THAT(decoded.refusals, SizeIs(1));
  ASSERT_THAT(decoded.changes.refused_pods, SizeIs(1));
  EXPECT_EQ(decoded.changes.refused_pods[0].uid, "uid-web");
  EXPECT_EQ(decoded.changes.refused_pods[0].ns, "team");
  EXPECT_EQ(decoded.changes.refused_pods[0].name, "web");
  EXPECT_THAT(decoded.changes.refused_pods[0].what, HasSubstr("status.phase is '42', expected"));
  EXPECT_THAT(ToString(decoded.refusals[0]), HasSubstr("pod/team/web: status.phase is '42'"));
  EXPECT_EQ(decoded.changes.pods[0].phase, PodPhase::kPending);
}

TEST(DecodeChanges, PodsWithoutIdentityAreLeftOutAndTheOthersStay) {
  pb::Changes message;
  *message.add_pods() = GoodPod("a");
  message.mutable_pods(0)->clear_uid();
  *message.add_pods() = GoodPod("b");
  message.mutable_pods(1)->clear_namespace_();
  *message.add_pods() = GoodPod("c");
  message.mutable_pods(2)->clear_name();
  *message.add_pods() = GoodPod("d");
  Decoded decoded = Decode(message);
  EXPECT_THAT(decoded.changes.pods, ElementsAre(Field(&PodObject::name, "d")));
  EXPECT_THAT(decoded.refusals, SizeIs(3));
}

TEST(DecodeChanges, TermsThatCanNotBeReadNeverLoosenAMember) {
  pb::Pod pod = GoodPod("p");
  auto* term = pod.add_required_node_terms();
  auto* unknown = term->add_requirements();
  unknown->set_key("k");
  unknown->set_operator_(static_cast<pb::NodeRequirement::Operator>(99));
  auto* gt = term->add_requirements();
  gt->set_key("k");
  gt->set_operator_(pb::NodeRequirement::OPERATOR_GT);
  gt->add_values("many");
  auto* field = term->add_requirements();
  field->set_key("spec.unschedulable");
  field->set_field(true);
  field->set_operator_(pb::NodeRequirement::OPERATOR_IN);
  const auto decoded = DecodeOne(pod);
  EXPECT_THAT(decoded.changes.pods[0].membership->problems,
              ElementsAre(Field(&Problem::field, HasSubstr("required[0][0].operator")),
                          Field(&Problem::field, HasSubstr("required[0][1].values")),
                          Field(&Problem::field, HasSubstr("required[0][2].key")),
                          Field(&Problem::value, "no term with a requirement")));
}

TEST(DecodeChanges, ABoundMemberCarriesItsPlan) {
  pb::Pod pod = GoodPod("p");
  pod.set_node_name("n");
  pod.set_phase(pb::Pod::PHASE_RUNNING);
  (*pod.mutable_annotations())[kPlanAnnotation] = "12";
  (*pod.mutable_annotations())[kRankAnnotation] = "1";
  EXPECT_EQ(DecodeOne(pod).changes.pods[0].bound_plan->plan, 12u);
  (*pod.mutable_annotations())[kPlanAnnotation] = "twelve";
  Decoded broken = DecodeOne(pod);
  EXPECT_FALSE(broken.changes.pods[0].bound_plan.has_value());
  EXPECT_THAT(broken.changes.pods[0].membership->problems, IsEmpty());
  ASSERT_THAT(broken.refusals, SizeIs(1));
  ASSERT_THAT(broken.changes.refused_pods, SizeIs(1));
  EXPECT_EQ(broken.changes.refused_pods[0].uid, "uid-p");
}

TEST(DecodeChanges, APodThatWasToldSaysSo) {
  pb::Pod pod = GoodPod("p");
  EXPECT_FALSE(DecodeOne(pod).changes.pods[0].told);
  pod.set_told(true);
  EXPECT_TRUE(DecodeOne(pod).changes.pods[0].told);
}

TEST(DecodeChanges, TimesOutOfRangeAreRefused) {
  pb::Pod pod = GoodPod("p");
  pod.set_created_ms(-1);
  pod.set_termination_grace_ms(int64_t{1} << 60);
  Decoded decoded = DecodeOne(pod);
  EXPECT_THAT(decoded.refusals, SizeIs(2));
  EXPECT_EQ(decoded.changes.pods[0].created.ms, 0);
  EXPECT_EQ(decoded.changes.pods[0].termination_grace.ms, 0);
}

TEST(DecodeMemberFact, AllStatesAndTheirErrors) {
  pb::MemberFact fact;
  fact.set_pod_uid("u");
  fact.set_plan(9);
  fact.set_node_name("n");
  for (int state = 1; state <= 6; ++state) {
    fact.set_state(static_cast<pb::MemberFact::State>(state));
    auto decoded = DecodeMemberFact(fact);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(static_cast<int>(decoded->state), state - 1);
  }
  fact.clear_node_name();
  EXPECT_TRUE(DecodeMemberFact(fact).ok()) << "a returned member is nowhere";
  fact.set_state(pb::MemberFact::STATE_BOUND);
  EXPECT_EQ(DecodeMemberFact(fact).status().message(),
            "member_fact.node_name is '', expected the name of a node in this state");
  fact.set_state(static_cast<pb::MemberFact::State>(12));
  EXPECT_EQ(DecodeMemberFact(fact).status().message(),
            "member_fact.state is '12', expected a known state from 1 to 6");
  fact.set_state(pb::MemberFact::STATE_RETURNED);
  fact.set_plan(0);
  EXPECT_FALSE(DecodeMemberFact(fact).ok());
}

TEST(DecodeConflict, StagesAndErrors) {
  pb::Conflict conflict;
  conflict.set_pod_uid("u");
  conflict.set_plan(3);
  conflict.set_plugin("NodeResourcesFit");
  conflict.set_message(std::string(100'000, 'm'));
  conflict.set_stage(pb::Conflict::STAGE_BIND);
  auto decoded = DecodeConflict(conflict);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->stage, CycleStage::kBind);
  EXPECT_EQ(decoded->message.size(), 1027u);
  conflict.set_stage(pb::Conflict::STAGE_UNSPECIFIED);
  EXPECT_EQ(DecodeConflict(conflict).status().code(), absl::StatusCode::kInvalidArgument);
  conflict.set_stage(pb::Conflict::STAGE_FILTER);
  conflict.clear_plugin();
  EXPECT_FALSE(DecodeConflict(conflict).ok());
}

TEST(DecodeOthers, ResultsAndHello) {
  pb::DirectiveResult result;
  EXPECT_FALSE(DecodeDirectiveResult(result).ok());
  result.set_sequence(4);
  result.set_code(429);
  EXPECT_EQ(DecodeDirectiveResult(result)->code, 429);
  EXPECT_FALSE(DecodeDirectiveResult(result)->job);
  result.set_applied(true);
  result.set_object(R"({"metadata":{"uid":"j"},"spec":{"backoffLimit":3}})");
  EXPECT_EQ(DecodeDirectiveResult(result)->job, (JobObject{"j", 3, false}));
  // An object that can't be read counts as one that was not.
  result.set_object("{");
  EXPECT_FALSE(DecodeDirectiveResult(result)->applied);
  EXPECT_FALSE(DecodeDirectiveResult(result)->job);
  pb::Hello hello;
  EXPECT_FALSE(CheckHello(hello).ok());
  hello.set_adapter_id("a1");
  EXPECT_EQ(CheckHello(hello).message(),
            "hello.scheduler_names is '[]', expected at least one profile name");
  hello.add_scheduler_names("phalanx");
  EXPECT_TRUE(CheckHello(hello).ok());
  hello.add_scheduler_names("");
  EXPECT_FALSE(CheckHello(hello).ok());
}

TEST(DecodePodTest, RulesAboutPodsLikeItself) {
  pb::Pod pod = GoodPod("a");
  (*pod.mutable_labels())[kGangLabel] = "train";
  (*pod.mutable_labels())[kGangSizeLabel] = "4";
  pb::SelfRule& apart = *pod.add_self_rules();
  apart.set_kind(pb::SelfRule::KIND_APART);
  apart.set_topology_key("kubernetes.io/hostname");
  apart.set_selector("job-name=train");
  pb::SelfRule& later = *pod.add_self_rules();
  later.set_kind(static_cast<pb::SelfRule::Kind>(9));
  const Decoded decoded = DecodeOne(pod);
  ASSERT_THAT(decoded.changes.pods, SizeIs(1));
  const Membership& says = *decoded.changes.pods.front().membership;
  EXPECT_EQ(says.spread.level, "kubernetes.io/hostname");
  EXPECT_EQ(says.spread.by, SpreadBy::kApart);
  EXPECT_EQ(says.spread.whom, "job-name=$gang");
  ASSERT_THAT(decoded.refusals, SizeIs(1));
  EXPECT_EQ(decoded.refusals.front().problem.value, "9");
}

}  // namespace
}  // namespace phalanx::wire

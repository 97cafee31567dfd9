// Directives and answers as the adapter reads them.
#include "wire/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phalanx::wire {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const GangKey kGang{"team", "label", "train"};

TEST(EncodeDirective, AdmitCarriesEveryMember) {
  Admit admit{kGang, 77, 2, "zone-a/rack-1", true, true, {}};
  admit.members = {{"u0", "team", "p0", "n0", "nu0", 0}, {"u1", "team", "p1", "n1", "nu1", 1}};
  pb::SyncResponse out = EncodeDirective(5, {3, admit});
  EXPECT_EQ(out.epoch(), 5u);
  EXPECT_EQ(out.sequence(), 3u);
  ASSERT_TRUE(out.has_admit());
  EXPECT_EQ(out.admit().gang().namespace_(), "team");
  EXPECT_EQ(out.admit().gang().source(), "label");
  EXPECT_EQ(out.admit().gang().name(), "train");
  EXPECT_EQ(out.admit().plan(), 77u);
  EXPECT_EQ(out.admit().gang_size(), 2);
  EXPECT_TRUE(out.admit().late_barrier());
  EXPECT_TRUE(out.admit().dry_run());
  ASSERT_EQ(out.admit().members_size(), 2);
  const pb::Admit::Member& member = out.admit().members(1);
  EXPECT_EQ(member.pod_uid(), "u1");
  EXPECT_EQ(member.pod_namespace(), "team");
  EXPECT_EQ(member.pod_name(), "p1");
  EXPECT_EQ(member.node_name(), "n1");
  EXPECT_EQ(member.node_uid(), "nu1");
  EXPECT_EQ(member.rank(), 1);
  EXPECT_EQ(member.domain(), "zone-a/rack-1");
}

TEST(EncodeDirective, TheOtherKinds) {
  EXPECT_EQ(EncodeDirective(1, {1, Release{kGang, 7, ReleaseStage::kPrepare}}).release().stage(),
            pb::Release::STAGE_PREPARE);
  EXPECT_EQ(EncodeDirective(1, {1, Release{kGang, 7, ReleaseStage::kBind}}).release().stage(),
            pb::Release::STAGE_BIND);
  pb::SyncResponse reject = EncodeDirective(1, {2, Reject{kGang, 7, "conflict"}});
  EXPECT_EQ(reject.reject().plan(), 7u);
  EXPECT_EQ(reject.reject().reason(), "conflict");
  EXPECT_EQ(reject.reject().pod_uids_size(), 0);
  pb::SyncResponse evict = EncodeDirective(1, {3, Evict{kGang, "u", "team", "p", "roll back"}});
  EXPECT_EQ(evict.evict().pod_uid(), "u");
  EXPECT_EQ(evict.evict().gang().name(), "train");
  EXPECT_EQ(evict.evict().reason(), "roll back");
  pb::SyncResponse read = EncodeDirective(1, {5, ReadJob{kGang, "team", "job", "ju"}});
  EXPECT_EQ(read.read_job().namespace_(), "team");
  EXPECT_EQ(read.read_job().name(), "job");
  EXPECT_EQ(read.read_job().uid(), "ju");
  pb::SyncResponse event =
      EncodeDirective(1, {4, PodEvent{"u", "team", "p", true, "GangWaiting", "why"}});
  EXPECT_EQ(event.event().type(), pb::Event::TYPE_WARNING);
  EXPECT_EQ(event.event().reason(), "GangWaiting");
  EXPECT_EQ(event.event().message(), "why");
}

TEST(EncodeWelcome, NamesWhatToSendAndWhatIsHeld) {
  pb::SyncResponse out = EncodeWelcome(9, {"nvidia.com/gpu", "nvidia.com/mig-*"}, 4 << 20);
  EXPECT_EQ(out.epoch(), 9u);
  EXPECT_EQ(out.sequence(), 0u);
  const pb::Welcome& welcome = out.welcome();
  EXPECT_EQ(welcome.epoch(), 9u);
  EXPECT_THAT(welcome.pod_label_keys(), Contains("phalanx.dev/*"));
  EXPECT_THAT(welcome.pod_annotation_keys(), Contains("batch.kubernetes.io/job-completion-index"));
  EXPECT_THAT(welcome.held_label_keys(), Contains("phalanx.dev/gang"));
  EXPECT_THAT(welcome.held_label_keys(), Contains("phalanx.dev/gang-size"));
  EXPECT_THAT(welcome.held_label_keys(), Contains("scheduling.x-k8s.io/pod-group"));
  EXPECT_THAT(welcome.pod_label_keys(), Contains("scheduling.sigs.k8s.io/pod-group"));
  ASSERT_EQ(welcome.watch_size(), 6);
  EXPECT_EQ(welcome.watch(0).group() + "/" + welcome.watch(0).version(),
            "scheduling.x-k8s.io/v1alpha1");
  EXPECT_EQ(welcome.watch(0).resource(), "podgroups");
  EXPECT_THAT(welcome.held_resources(), Contains("nvidia.com/mig-*"));
  EXPECT_EQ(welcome.max_frame_bytes(), 4 << 20);
}

TEST(Answers, FilterByKind) {
  EXPECT_EQ(EncodeFilter({"u", AnswerKind::kLoose, "", 0, ""}).verdict(),
            pb::FilterResponse::VERDICT_ANY_NODE);
  pb::FilterResponse planned = EncodeFilter({"u", AnswerKind::kPlanned, "n", 4, ""});
  EXPECT_EQ(planned.verdict(), pb::FilterResponse::VERDICT_NODE);
  EXPECT_EQ(planned.node_name(), "n");
  EXPECT_EQ(planned.plan(), 4u);
  EXPECT_EQ(EncodeFilter({"u", AnswerKind::kReleased, "n", 4, ""}).verdict(),
            pb::FilterResponse::VERDICT_NODE);
  pb::FilterResponse held = EncodeFilter({"u", AnswerKind::kHeld, "", 0, "1 of 4 members"});
  EXPECT_EQ(held.verdict(), pb::FilterResponse::VERDICT_HELD);
  EXPECT_EQ(held.reason(), "1 of 4 members");
}

TEST(Answers, ReserveNamesWhatDiffers) {
  PodAnswer answer{"u", AnswerKind::kPlanned, "n1", 4, ""};
  pb::ReserveRequest request;
  request.set_plan(4);
  request.set_node_name("n1");
  EXPECT_TRUE(EncodeReserve(answer, request).accepted());
  request.set_node_name("n2");
  EXPECT_FALSE(EncodeReserve(answer, request).accepted());
  EXPECT_EQ(EncodeReserve(answer, request).reason(), "node_name is 'n2', expected 'n1' by plan 4");
  request.set_plan(3);
  EXPECT_EQ(EncodeReserve(answer, request).reason(), "plan is 3, expected 4, the current one");
  EXPECT_FALSE(EncodeReserve({"u", AnswerKind::kHeld, "", 0, ""}, request).accepted());
  EXPECT_TRUE(EncodeReserve({"u", AnswerKind::kLoose, "", 0, ""}, request).accepted());
}

TEST(Answers, PermitWaitsUntilReleased) {
  pb::PermitRequest request;
  request.set_plan(4);
  request.set_node_name("n1");
  pb::PermitResponse waits = EncodePermit({"u", AnswerKind::kPlanned, "n1", 4, ""}, request, 900);
  EXPECT_EQ(waits.verdict(), pb::PermitResponse::VERDICT_WAIT);
  EXPECT_EQ(waits.timeout_ms(), 900);
  EXPECT_EQ(EncodePermit({"u", AnswerKind::kReleased, "n1", 4, ""}, request, 900).verdict(),
            pb::PermitResponse::VERDICT_ALLOW);
  EXPECT_EQ(EncodePermit({"u", AnswerKind::kLoose, "", 0, ""}, request, 900).verdict(),
            pb::PermitResponse::VERDICT_ALLOW);
  pb::PermitResponse stale = EncodePermit({"u", AnswerKind::kReleased, "n1", 5, ""}, request, 900);
  EXPECT_EQ(stale.verdict(), pb::PermitResponse::VERDICT_REJECT);
  EXPECT_THAT(stale.reason(), HasSubstr("expected 5"));
}

TEST(Answers, ScoreKeepsLoosePodsOffAccelerators) {
  pb::ScoreResponse out = EncodeScore({"nvidia.com/gpu"});
  EXPECT_GT(out.plain_node_score(), out.accelerator_node_score());
  EXPECT_EQ(out.accelerator_resources(0), "nvidia.com/gpu");
}

}  // namespace
}  // namespace phalanx::wire

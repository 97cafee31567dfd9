#include "wire/encode.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "wire/dialects/dialects.h"
#include "wire/gang_object.h"
#include "wire/topology_object.h"

namespace phalanx::wire {
namespace {

void Fill(const GangKey& gang, pb::GangRef* out) {
  out->set_namespace_(gang.ns);
  out->set_source(gang.source);
  out->set_name(gang.name);
}

void Fill(const GangObject& object, pb::Patch* out) {
  pb::Patch::Target* target = out->mutable_target();
  target->set_group(kGangGroup);
  target->set_version(kGangVersion);
  target->set_resource(kGangResource);
  target->set_namespace_(object.gang.ns);
  target->set_name(object.name);
}

struct BodyEncoder {
  pb::SyncResponse& out;

  void operator()(const Admit& admit) const {
    pb::Admit* message = out.mutable_admit();
    Fill(admit.gang, message->mutable_gang());
    message->set_plan(admit.plan);
    message->set_late_barrier(admit.late_barrier);
    message->set_dry_run(admit.dry_run);
    message->set_gang_size(admit.gang_size);
    for (const AdmitMember& member : admit.members) {
      pb::Admit::Member* to = message->add_members();
      to->set_pod_uid(member.pod_uid);
      to->set_pod_namespace(member.pod_namespace);
      to->set_pod_name(member.pod_name);
      to->set_node_name(member.node);
      to->set_node_uid(member.node_uid);
      to->set_rank(member.rank);
      to->set_domain(admit.domain);
    }
  }
  void operator()(const Release& release) const {
    pb::Release* message = out.mutable_release();
    Fill(release.gang, message->mutable_gang());
    message->set_plan(release.plan);
    message->set_stage(release.stage == ReleaseStage::kBind ? pb::Release::STAGE_BIND
                                                            : pb::Release::STAGE_PREPARE);
  }
  void operator()(const Reject& reject) const {
    pb::Reject* message = out.mutable_reject();
    Fill(reject.gang, message->mutable_gang());
    message->set_plan(reject.plan);
    message->set_reason(reject.reason);
  }
  void operator()(const Evict& evict) const {
    pb::Evict* message = out.mutable_evict();
    Fill(evict.gang, message->mutable_gang());
    message->set_pod_uid(evict.pod_uid);
    message->set_pod_namespace(evict.pod_namespace);
    message->set_pod_name(evict.pod_name);
    message->set_reason(evict.reason);
  }
  void operator()(const ReadJob& job) const {
    pb::ReadJob* message = out.mutable_read_job();
    message->set_namespace_(job.ns);
    message->set_name(job.name);
    message->set_uid(job.uid);
  }
  void operator()(const PodEvent& event) const {
    pb::Event* message = out.mutable_event();
    message->set_pod_uid(event.pod_uid);
    message->set_pod_namespace(event.pod_namespace);
    message->set_pod_name(event.pod_name);
    message->set_type(event.warning ? pb::Event::TYPE_WARNING : pb::Event::TYPE_NORMAL);
    message->set_reason(event.reason);
    message->set_message(event.message);
  }
  void operator()(const PodWaits& waits) const {
    pb::Patch* patch = out.mutable_patch();
    pb::Patch::Target* target = patch->mutable_target();
    target->set_version("v1");
    target->set_resource("pods");
    target->set_namespace_(waits.pod_namespace);
    target->set_name(waits.pod_name);
    patch->set_subresource("status");
    patch->set_kind(pb::Patch::KIND_STRATEGIC);
    patch->set_json(WaitsPatch(waits));
  }
  void operator()(const MakeGang& make) const {
    pb::Patch* patch = out.mutable_patch();
    Fill(make.object, patch);
    patch->set_kind(pb::Patch::KIND_APPLY);
    patch->set_json(GangManifest(make.object));
  }
  void operator()(const ShowGang& show) const {
    pb::Patch* patch = out.mutable_patch();
    Fill(show.report.object, patch);
    patch->set_subresource("status");
    patch->set_kind(pb::Patch::KIND_MERGE);
    patch->set_json(GangStatusPatch(show.report));
  }
  void operator()(const DropGang& drop) const {
    pb::Patch* patch = out.mutable_patch();
    Fill(drop.object, patch);
    patch->set_kind(pb::Patch::KIND_DELETE);
  }
  void operator()(const ShowTopology& show) const {
    pb::Patch* patch = out.mutable_patch();
    pb::Patch::Target* target = patch->mutable_target();
    target->set_group(kGangGroup);
    target->set_version(kGangVersion);
    target->set_resource(kTopologyResource);
    target->set_name(show.report.key.name);
    patch->set_subresource("status");
    patch->set_kind(pb::Patch::KIND_MERGE);
    patch->set_json(TopologyStatusPatch(show.report));
  }
};

// What differs between a request and the plan in force; empty if nothing does.
template <class Request>
std::string Mismatch(const PodAnswer& answer, const Request& request) {
  if (answer.kind == AnswerKind::kHeld) {
    return answer.reason.empty() ? "the pod has no plan" : answer.reason;
  }
  if (answer.plan != request.plan()) {
    return fmt::format("plan is {}, expected {}, the current one", request.plan(), answer.plan);
  }
  if (answer.node != request.node_name()) {
    return fmt::format("node_name is '{}', expected '{}' by plan {}", request.node_name(),
                       answer.node, answer.plan);
  }
  return "";
}

}  // namespace

pb::SyncResponse EncodeDirective(uint64_t epoch, const Directive& directive) {
  pb::SyncResponse out;
  out.set_epoch(epoch);
  out.set_sequence(directive.sequence);
  std::visit(BodyEncoder{out}, directive.body);
  return out;
}

pb::SyncResponse EncodeWelcome(uint64_t epoch, const std::vector<std::string>& accelerators,
                               int64_t max_frame_bytes) {
  pb::SyncResponse out;
  out.set_epoch(epoch);
  pb::Welcome* welcome = out.mutable_welcome();
  welcome->set_epoch(epoch);
  for (const char* key : LabelKeys()) welcome->add_pod_label_keys(key);
  for (const char* key : AnnotationKeys()) welcome->add_pod_annotation_keys(key);
  for (const char* key : HeldLabelKeys()) welcome->add_held_label_keys(key);
  for (const WatchedKind& kind : WatchedKinds()) {
    pb::ObjectKind* watch = welcome->add_watch();
    watch->set_group(kind.group);
    watch->set_version(kind.version);
    watch->set_resource(kind.resource);
  }
  for (const std::string& name : accelerators) welcome->add_held_resources(name);
  welcome->set_max_frame_bytes(max_frame_bytes);
  return out;
}

pb::FilterResponse EncodeFilter(const PodAnswer& answer) {
  pb::FilterResponse out;
  switch (answer.kind) {
    case AnswerKind::kLoose:
      out.set_verdict(pb::FilterResponse::VERDICT_ANY_NODE);
      break;
    case AnswerKind::kPlanned:
    case AnswerKind::kReleased:
      out.set_verdict(pb::FilterResponse::VERDICT_NODE);
      out.set_node_name(answer.node);
      out.set_plan(answer.plan);
      break;
    case AnswerKind::kUnknown:
    case AnswerKind::kHeld:
      out.set_verdict(pb::FilterResponse::VERDICT_HELD);
      out.set_reason(answer.reason.empty() ? "the pod has no plan" : answer.reason);
      break;
  }
  return out;
}

pb::ReserveResponse EncodeReserve(const PodAnswer& answer, const pb::ReserveRequest& request) {
  pb::ReserveResponse out;
  if (answer.kind != AnswerKind::kLoose) out.set_reason(Mismatch(answer, request));
  out.set_accepted(out.reason().empty());
  return out;
}

pb::PermitResponse EncodePermit(const PodAnswer& answer, const pb::PermitRequest& request,
                                int64_t timeout_ms) {
  pb::PermitResponse out;
  out.set_verdict(pb::PermitResponse::VERDICT_ALLOW);
  if (answer.kind == AnswerKind::kLoose) return out;
  std::string mismatch = Mismatch(answer, request);
  if (!mismatch.empty()) {
    out.set_verdict(pb::PermitResponse::VERDICT_REJECT);
    out.set_reason(mismatch);
  } else if (answer.kind == AnswerKind::kPlanned) {
    out.set_verdict(pb::PermitResponse::VERDICT_WAIT);
    out.set_timeout_ms(timeout_ms);
  }
  return out;
}

pb::ScoreResponse EncodeScore(const std::vector<std::string>& accelerators) {
  constexpr int32_t kBest = 100;
  pb::ScoreResponse out;
  out.set_plain_node_score(kBest);
  out.set_accelerator_node_score(0);
  for (const std::string& name : accelerators) out.add_accelerator_resources(name);
  return out;
}

}  // namespace phalanx::wire

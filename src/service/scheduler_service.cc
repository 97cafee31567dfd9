#include "service/scheduler_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "wire/encode.h"

namespace phalanx::service {
namespace {

// The framework takes no longer one; see PermitResponse.timeout_ms. The brain withdraws the plan
// first: its own clock restarts while the scheduler is at work on earlier gangs.
constexpr Duration kLongestPermit = Duration::Minutes(15);

grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

}  // namespace

SchedulerServiceImpl::SchedulerServiceImpl(runtime::Brain& brain, ServiceCounters& counters,
                                           const Settings& settings)
    : brain_(brain),
      counters_(counters),
      accelerators_(settings.engine.accelerators),
      permit_timeout_ms_(kLongestPermit.ms) {}

grpc::Status SchedulerServiceImpl::Check(uint64_t epoch, const std::string& pod_uid,
                                         CallCounters& calls) const {
  uint64_t current = brain_.epoch();
  if (epoch != current || current == 0) {
    ++calls.stale_epoch;
    std::string expected = current == 0 ? "none, since no adapter is connected"
                                        : fmt::format("the current one, {}", current);
    return {grpc::StatusCode::FAILED_PRECONDITION,
            fmt::format("epoch is {}, expected {}", epoch, expected)};
  }
  if (pod_uid.empty()) {
    ++calls.invalid;
    return {grpc::StatusCode::INVALID_ARGUMENT, "pod_uid is '', expected the UID of a pod"};
  }
  return grpc::Status::OK;
}

grpc::Status SchedulerServiceImpl::Look(uint64_t epoch, const std::string& pod_uid,
                                        CallCounters& calls, PodAnswer& answer) const {
  grpc::Status status = Check(epoch, pod_uid, calls);
  if (!status.ok()) return status;
  std::optional<PodAnswer> found = brain_.Answer(epoch, pod_uid);
  if (!found) {
    ++calls.unknown_pod;
    return {grpc::StatusCode::NOT_FOUND,
            fmt::format("pod_uid is '{}', expected a pod that was sent in Changes", pod_uid)};
  }
  answer = *std::move(found);
  return grpc::Status::OK;
}

grpc::ServerUnaryReactor* SchedulerServiceImpl::Filter(grpc::CallbackServerContext* context,
                                                       const pb::FilterRequest* request,
                                                       pb::FilterResponse* response) {
  PodAnswer answer;
  grpc::Status status = Look(request->epoch(), request->pod_uid(), counters_.filter, answer);
  if (status.ok()) {
    *response = wire::EncodeFilter(answer);
    ++counters_.filter.ok;
  }
  return Finish(context, status);
}

grpc::ServerUnaryReactor* SchedulerServiceImpl::Score(grpc::CallbackServerContext* context,
                                                      const pb::ScoreRequest* request,
                                                      pb::ScoreResponse* response) {
  grpc::Status status = Check(request->epoch(), request->pod_uid(), counters_.score);
  if (status.ok()) {
    *response = wire::EncodeScore(accelerators_);
    ++counters_.score.ok;
  }
  return Finish(context, status);
}

grpc::ServerUnaryReactor* SchedulerServiceImpl::Reserve(grpc::CallbackServerContext* context,
                                                        const pb::ReserveRequest* request,
                                                        pb::ReserveResponse* response) {
  PodAnswer answer;
  grpc::Status status = Look(request->epoch(), request->pod_uid(), counters_.reserve, answer);
  if (status.ok()) {
    *response = wire::EncodeReserve(answer, *request);
    ++counters_.reserve.ok;
  }
  return Finish(context, status);
}

grpc::ServerUnaryReactor* SchedulerServiceImpl::Unreserve(grpc::CallbackServerContext* context,
                                                          const pb::UnreserveRequest* request,
                                                          pb::UnreserveResponse* /*response*/) {
  // Nothing changes: the scheduler still counts the pod on its node until it forgets it, which the
  // adapter tells with a RETURNED fact.
  grpc::Status status = Check(request->epoch(), request->pod_uid(), counters_.unreserve);
  if (status.ok()) ++counters_.unreserve.ok;
  return Finish(context, status);
}

grpc::Status SchedulerServiceImpl::TellReserved(const pb::PermitRequest& request) {
  runtime::CommandBody fact = MemberFact{
      request.pod_uid(), request.plan(), request.node_name(), MemberState::kReserved, 0, ""};
  if (brain_.Post(request.epoch(), fact)) return grpc::Status::OK;
  ++counters_.permit.no_room;
  runtime::Mailbox::LaneStats lane = brain_.mailbox(runtime::Lane::kFact);
  return {grpc::StatusCode::RESOURCE_EXHAUSTED,
          fmt::format("{} facts wait for the engine, expected fewer than {}", lane.weight,
                      lane.capacity)};
}

grpc::ServerUnaryReactor* SchedulerServiceImpl::Permit(grpc::CallbackServerContext* context,
                                                       const pb::PermitRequest* request,
                                                       pb::PermitResponse* response) {
  PodAnswer answer;
  grpc::Status status = Look(request->epoch(), request->pod_uid(), counters_.permit, answer);
  if (!status.ok()) return Finish(context, status);
  *response = wire::EncodePermit(answer, *request, permit_timeout_ms_);
  bool member = answer.kind == AnswerKind::kPlanned || answer.kind == AnswerKind::kReleased;
  if (member && response->verdict() != pb::PermitResponse::VERDICT_REJECT) {
    status = TellReserved(*request);
  }
  if (status.ok()) ++counters_.permit.ok;
  return Finish(context, status);
}

}  // namespace phalanx::service

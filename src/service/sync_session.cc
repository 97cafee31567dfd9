#include "service/sync_session.h"

#include <fmt/format.h>

#include <utility>

#include "service/log.h"
#include "wire/encode.h"

namespace phalanx::service {
namespace {

grpc::Status Invalid(const std::string& message) {
  return {grpc::StatusCode::INVALID_ARGUMENT, message};
}

template <class T>
std::optional<runtime::CommandBody> ToBody(absl::StatusOr<T> decoded, absl::Status& status) {
  if (decoded.ok()) return runtime::CommandBody(*std::move(decoded));
  status = decoded.status();
  return std::nullopt;
}

}  // namespace

SyncSession::SyncSession(SessionHost& host, runtime::Brain& brain, ServiceCounters& counters,
                         const Settings& settings)
    : host_(host), brain_(brain), counters_(counters), settings_(settings) {}

void SyncSession::Start() {
  self_ = shared_from_this();
  StartRead(&request_);
}

void SyncSession::Accept(uint64_t epoch, const pb::Hello& hello) {
  adapter_id_ = hello.adapter_id();
  decode_.scheduler_names.assign(hello.scheduler_names().begin(), hello.scheduler_names().end());
  decode_.accelerators = settings_.engine.accelerators;
  epoch_ = epoch;
  std::lock_guard lock(mutex_);
  outbox_.push_back(wire::EncodeWelcome(epoch, decode_.accelerators, settings_.max_frame_bytes));
  writing_ = true;
}

void SyncSession::Begin() {
  std::lock_guard lock(mutex_);
  if (!finished_) StartWrite(&outbox_.front());
}

void SyncSession::Close(const grpc::Status& status) {
  // Finish() may lead to OnDone() on another thread before this one leaves the lock.
  std::shared_ptr<SyncSession> keep = shared_from_this();
  std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  Finish(status);
}

void SyncSession::Deliver(std::vector<Directive> directives) {
  for (Directive& directive : directives) Send(wire::EncodeDirective(epoch_, directive));
}

void SyncSession::Send(pb::SyncResponse response) {
  {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    if (outbox_.size() < kOutboxLimit) {
      outbox_.push_back(std::move(response));
      if (writing_) return;
      writing_ = true;
      StartWrite(&outbox_.front());
      return;
    }
  }
  ++counters_.slow_sessions;
  Close({grpc::StatusCode::RESOURCE_EXHAUSTED,
         fmt::format("{} directives wait to be read, expected fewer", kOutboxLimit)});
}

void SyncSession::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  if (!outbox_.empty()) outbox_.pop_front();
  if (!ok || finished_ || outbox_.empty()) return;
  writing_ = true;
  StartWrite(&outbox_.front());
}

void SyncSession::OnReadDone(bool ok) {
  if (!ok) {
    // The adapter has closed its side, the connection is gone, or a frame was too large (gRPC has
    // then answered already).
    brain_.Disconnect(epoch_);
    Close(grpc::Status::OK);
    return;
  }
  if (std::optional<grpc::Status> end = Handle()) {
    LogWarning("stream ended", {{"adapter", adapter_id_}, {"reason", end->error_message()}});
    brain_.Disconnect(epoch_);
    Close(*end);
  }
}

void SyncSession::OnCancel() {
  brain_.Disconnect(epoch_);
  Close({grpc::StatusCode::CANCELLED, "the call was cancelled"});
}

void SyncSession::OnDone() {
  brain_.Disconnect(epoch_);
  host_.Gone(this);
  std::shared_ptr<SyncSession> last = std::move(self_);
}

std::optional<grpc::Status> SyncSession::Handle() {
  if (epoch_ == 0) return HandleHello();
  if (request_.message_case() == pb::SyncRequest::kHello) {
    return Invalid("hello was sent twice, expected one as the first message of a stream");
  }
  if (request_.epoch() != epoch_) {
    ++counters_.refused_epochs;
    return grpc::Status(
        grpc::StatusCode::FAILED_PRECONDITION,
        fmt::format("epoch is {}, expected {} as in Welcome", request_.epoch(), epoch_.load()));
  }
  pending_ = Decode();
  if (pending_) {
    PostPending();
  } else {
    ReadNext();
  }
  return std::nullopt;
}

std::optional<grpc::Status> SyncSession::HandleHello() {
  if (request_.message_case() != pb::SyncRequest::kHello) {
    ++counters_.refused_hellos;
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION,
                        "the stream began with another message, expected hello");
  }
  absl::Status status = wire::CheckHello(request_.hello());
  if (!status.ok()) {
    ++counters_.refused_hellos;
    return Invalid(std::string(status.message()));
  }
  host_.Welcome(shared_from_this(), request_.hello());
  ReadNext();
  return std::nullopt;
}

std::optional<runtime::CommandBody> SyncSession::DecodeChanges() {
  std::vector<wire::Refusal> refusals;
  Changes changes = wire::DecodeChanges(request_.changes(), decode_, refusals);
  for (const wire::Refusal& refusal : refusals) {
    ++(refusal.kind == wire::ObjectKind::kNode  ? counters_.refused_nodes
       : refusal.kind == wire::ObjectKind::kPod ? counters_.refused_pods
                                                : counters_.refused_objects);
    LogWarning("input refused", {{"reason", wire::ToString(refusal)}});
  }
  return changes;
}

std::optional<runtime::CommandBody> SyncSession::Decode() {
  absl::Status status;
  std::optional<runtime::CommandBody> body;
  switch (request_.message_case()) {
    case pb::SyncRequest::kChanges:
      return DecodeChanges();
    case pb::SyncRequest::kSyncDone:
      return SyncDone{};
    case pb::SyncRequest::kLeadership:
      return Leadership{request_.leadership().leading()};
    case pb::SyncRequest::kMemberFact:
      body = ToBody(wire::DecodeMemberFact(request_.member_fact()), status);
      break;
    case pb::SyncRequest::kConflict:
      body = ToBody(wire::DecodeConflict(request_.conflict()), status);
      break;
    case pb::SyncRequest::kDirectiveResult:
      body = ToBody(wire::DecodeDirectiveResult(request_.directive_result()), status);
      break;
    default:
      status = absl::InvalidArgumentError(
          "message is not set or unknown, expected one of changes, "
          "sync_done, member_fact, conflict, directive_result, "
          "leadership");
  }
  if (!body) Refuse(status);
  return body;
}

void SyncSession::Refuse(const absl::Status& status) {
  ++counters_.refused_facts;
  LogWarning("input refused",
             {{"adapter", adapter_id_}, {"reason", std::string(status.message())}});
}

void SyncSession::PostPending() {
  if (brain_.Post(epoch_, *pending_)) {
    pending_.reset();
    ReadNext();
    return;
  }
  brain_.WhenRoom(*pending_, [session = weak_from_this()] {
    if (auto alive = session.lock()) alive->PostPending();
  });
}

void SyncSession::ReadNext() {
  std::lock_guard lock(mutex_);
  if (!finished_) StartRead(&request_);
}

}  // namespace phalanx::service

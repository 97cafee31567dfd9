// One stream of ClusterService.Sync: reads what the adapter tells into commands, writes directives.
//
// States: opened -> welcomed (Hello was read) -> finished. One read and one write at most are under
// way. A message that the mailbox has no room for is kept, and nothing more is read until there is
// room: gRPC's flow control then slows the adapter. Directives wait in a queue with a bound; an
// adapter that does not read them loses its stream.
//
// Threads: reactions run on gRPC's threads, Deliver() on the engine thread, Close() on any. Nothing
// here blocks. A session keeps itself alive until OnDone().
#ifndef PHALANX_SERVICE_SYNC_SESSION_H_
#define PHALANX_SERVICE_SYNC_SESSION_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/v1alpha1/cluster.grpc.pb.h"
#include "runtime/brain.h"
#include "service/counters.h"
#include "service/settings.h"
#include "wire/decode.h"

namespace phalanx::service {

namespace pb = ::phalanx::v1alpha1;

class SyncSession;

// What a session asks of the service that it belongs to.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  // Makes this the current session: gives it the next epoch, sends its Welcome and aborts the one
  // before.
  virtual void Welcome(std::shared_ptr<SyncSession> session, const pb::Hello& hello) = 0;
  virtual void Gone(SyncSession* session) = 0;
};

class SyncSession final : public grpc::ServerBidiReactor<pb::SyncRequest, pb::SyncResponse>,
                          public runtime::DirectiveSink,
                          public std::enable_shared_from_this<SyncSession> {
 public:
  // Directives that may wait for a slow adapter.
  static constexpr size_t kOutboxLimit = 100'000;

  SyncSession(SessionHost& host, runtime::Brain& brain, ServiceCounters& counters,
              const Settings& settings);

  // Begins to read.
  void Start();
  // Called by the host: from now on the session is `epoch`. Welcome is first in the outbox, but is
  // written by Begin() only, when the brain takes calls under that epoch.
  void Accept(uint64_t epoch, const pb::Hello& hello);
  void Begin();
  // Ends the stream with `status`, unless it has ended.
  void Close(const grpc::Status& status);
  uint64_t epoch() const { return epoch_.load(); }
  const std::string& adapter_id() const { return adapter_id_; }

  void Deliver(std::vector<Directive> directives) override;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // nullopt: read on. A status ends the stream.
  std::optional<grpc::Status> Handle();
  std::optional<grpc::Status> HandleHello();
  // The command of the message that was read; nullopt if it was refused as a whole.
  std::optional<runtime::CommandBody> Decode();
  std::optional<runtime::CommandBody> DecodeChanges();
  void Refuse(const absl::Status& status);
  // Posts `pending_`, then reads on; waits for room if there is none.
  void PostPending();
  void ReadNext();
  void Send(pb::SyncResponse response);

  SessionHost& host_;
  runtime::Brain& brain_;
  ServiceCounters& counters_;
  const Settings& settings_;

  // Of the reading side: one reaction at a time.
  pb::SyncRequest request_;
  wire::DecodeOptions decode_;
  std::string adapter_id_;
  std::optional<runtime::CommandBody> pending_;

  std::atomic<uint64_t> epoch_{0};
  std::mutex mutex_;  // of what follows
  std::deque<pb::SyncResponse> outbox_;
  bool writing_ = false;
  bool finished_ = false;
  std::shared_ptr<SyncSession> self_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_SYNC_SESSION_H_

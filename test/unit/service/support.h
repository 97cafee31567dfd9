// A test adapter that speaks over a real Unix socket, and small helpers around a server under test.
#ifndef PHALANX_TEST_UNIT_SERVICE_SUPPORT_H_
#define PHALANX_TEST_UNIT_SERVICE_SUPPORT_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/v1alpha1/cluster.grpc.pb.h"
#include "phalanx/v1alpha1/scheduler.grpc.pb.h"
#include "service/settings.h"

namespace phalanx::service::testing {

namespace pb = ::phalanx::v1alpha1;

// How long a test waits for what must come. Nothing asserts that it came sooner.
inline constexpr std::chrono::seconds kPatience{60};

// A folder of its own, removed at the end. Its path is short enough for a socket.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  std::string path(const std::string& name = "") const;

 private:
  std::string path_;
};

// Settings of a server in `folder`, with HTTP on a free port of loopback.
Settings TestSettings(const TempFolder& folder);

std::shared_ptr<grpc::Channel> Dial(const std::string& socket_path);
std::unique_ptr<grpc::ClientContext> Context();  // with a deadline

// One stream of ClusterService.Sync.
class TestAdapter {
 public:
  explicit TestAdapter(std::shared_ptr<grpc::Channel> channel);
  ~TestAdapter();  // cancels

  bool Send(const pb::SyncRequest& request) { return stream_->Write(request); }
  // Hello, and the Welcome that comes; 0 if the stream ended instead.
  uint64_t Hello(const std::string& id = "test-adapter");
  uint64_t epoch() const { return epoch_; }
  // A message of this session's epoch.
  pb::SyncRequest Message() const;
  bool SendChanges(const pb::Changes& changes);
  bool SendSyncDone();
  bool SendLeadership(bool leading);
  bool SendFact(const std::string& uid, uint64_t plan, const std::string& node,
                pb::MemberFact::State state);

  // The next message of this kind; others are skipped. nullopt when the stream ends first.
  std::optional<pb::SyncResponse> Next(pb::SyncResponse::MessageCase kind);
  // Reads to the end and takes the status.
  grpc::Status Finish();
  void Cancel() { context_->TryCancel(); }

 private:
  std::unique_ptr<pb::ClusterService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::SyncRequest, pb::SyncResponse>> stream_;
  uint64_t epoch_ = 0;
  bool finished_ = false;
};

pb::Node GpuNode(const std::string& name);
pb::Pod GangPod(const std::string& gang, int index, int size);
// `nodes` nodes of 8 GPUs and the gang "train" of `members` pods with 8 GPUs each.
pb::Changes World(int nodes, int members);

struct HttpReply {
  int status = 0;
  std::string head;
  std::string body;
};
// Speaks HTTP by hand to 127.0.0.1; status 0 if nobody answers.
HttpReply Http(int port, const std::string& method, const std::string& path);

// Polls until `done`; false when patience ends.
bool Eventually(const std::function<bool()>& done);

}  // namespace phalanx::service::testing

#endif  // PHALANX_TEST_UNIT_SERVICE_SUPPORT_H_

#include "unit/service/support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

namespace phalanx::service::testing {

TempFolder::TempFolder() {
  char name[] = "/tmp/phalanx-XXXXXX";
  path_ = ::mkdtemp(name);
}

TempFolder::~TempFolder() { std::filesystem::remove_all(path_); }

std::string TempFolder::path(const std::string& name) const {
  return name.empty() ? path_ : path_ + "/" + name;
}

Settings TestSettings(const TempFolder& folder) {
  Settings settings;
  settings.socket_path = folder.path("private/phalanxd.sock");
  settings.http_address = "127.0.0.1:0";
  return settings;
}

std::shared_ptr<grpc::Channel> Dial(const std::string& socket_path) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // Channels of one process to one address share a connection otherwise.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel("unix:" + socket_path, grpc::InsecureChannelCredentials(),
                                   arguments);
}

std::unique_ptr<grpc::ClientContext> Context() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + kPatience);
  context->set_wait_for_ready(true);
  return context;
}

TestAdapter::TestAdapter(std::shared_ptr<grpc::Channel> channel)
    : stub_(pb::ClusterService::NewStub(std::move(channel))),
      context_(Context()),
      stream_(stub_->Sync(context_.get())) {}

TestAdapter::~TestAdapter() {
  if (finished_) return;
  context_->TryCancel();
  Finish();
}

uint64_t TestAdapter::Hello(const std::string& id) {
  pb::SyncRequest request;
  request.mutable_hello()->set_adapter_id(id);
  request.mutable_hello()->add_scheduler_names("phalanx");
  Send(request);
  std::optional<pb::SyncResponse> welcome = Next(pb::SyncResponse::kWelcome);
  epoch_ = welcome ? welcome->welcome().epoch() : 0;
  return epoch_;
}

pb::SyncRequest TestAdapter::Message() const {
  pb::SyncRequest request;
  request.set_epoch(epoch_);
  return request;
}

bool TestAdapter::SendChanges(const pb::Changes& changes) {
  pb::SyncRequest request = Message();
  *request.mutable_changes() = changes;
  return Send(request);
}

bool TestAdapter::SendSyncDone() {
  pb::SyncRequest request = Message();
  request.mutable_sync_done();
  return Send(request);
}

bool TestAdapter::SendLeadership(bool leading) {
  pb::SyncRequest request = Message();
  request.mutable_leadership()->set_leading(leading);
  return Send(request);
}

bool TestAdapter::SendFact(const std::string& uid, uint64_t plan, const std::string& node,
                           pb::MemberFact::State state) {
  pb::SyncRequest request = Message();
  pb::MemberFact* fact = request.mutable_member_fact();
  fact->set_pod_uid(uid);
  fact->set_plan(plan);
  fact->set_node_name(node);
  fact->set_state(state);
  return Send(request);
}

std::optional<pb::SyncResponse> TestAdapter::Next(pb::SyncResponse::MessageCase kind) {
  pb::SyncResponse response;
  while (stream_->Read(&response)) {
    if (response.message_case() == kind) return response;
  }
  return std::nullopt;
}

grpc::Status TestAdapter::Finish() {
  pb::SyncResponse response;
  while (stream_->Read(&response)) {
  }
  finished_ = true;
  return stream_->Finish();
}

pb::Node GpuNode(const std::string& name) {
  pb::Node node;
  node.set_name(name);
  node.set_uid("uid-" + name);
  node.set_ready(true);
  (*node.mutable_allocatable())["cpu"] = 64'000;
  (*node.mutable_allocatable())["pods"] = 110;
  (*node.mutable_allocatable())["nvidia.com/gpu"] = 8;
  return node;
}

pb::Pod GangPod(const std::string& gang, int index, int size) {
  pb::Pod pod;
  std::string name = gang + "-" + std::to_string(index);
  pod.set_uid("uid-" + name);
  pod.set_namespace_("team");
  pod.set_name(name);
  pod.set_scheduler_name("phalanx");
  pod.set_phase(pb::Pod::PHASE_PENDING);
  pod.set_created_ms(1'700'000'000'000);
  (*pod.mutable_labels())["phalanx.dev/gang"] = gang;
  (*pod.mutable_labels())["phalanx.dev/gang-size"] = std::to_string(size);
  (*pod.mutable_requests())["cpu"] = 1000;
  (*pod.mutable_requests())["pods"] = 1;
  (*pod.mutable_requests())["nvidia.com/gpu"] = 8;
  return pod;
}

pb::Changes World(int nodes, int members) {
  pb::Changes changes;
  for (int i = 0; i < nodes; ++i) *changes.add_nodes() = GpuNode("n" + std::to_string(i));
  for (int i = 0; i < members; ++i) *changes.add_pods() = GangPod("train", i, members);
  return changes;
}

HttpReply Http(int port, const std::string& method, const std::string& path) {
  HttpReply reply;
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    std::string request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    (void)!::write(fd, request.data(), request.size());
    char buffer[4096];
    for (ssize_t size; (size = ::read(fd, buffer, sizeof(buffer))) > 0;) text.append(buffer, size);
  }
  ::close(fd);
  size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return reply;
  reply.status = std::atoi(text.substr(9, 3).c_str());
  reply.head = text.substr(0, end);
  reply.body = text.substr(end + 4);
  return reply;
}

bool Eventually(const std::function<bool()>& done) {
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace phalanx::service::testing

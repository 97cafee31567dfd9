#include "service/server.h"

#include <fmt/format.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "service/flags.h"
#include "service/log.h"

namespace phalanx::service {
namespace {

constexpr std::chrono::seconds kGrace{1};
constexpr const char* kServices[] = {"phalanx.v1alpha1.SchedulerService",
                                     "phalanx.v1alpha1.ClusterService",
                                     "phalanx.v1alpha1.InspectService"};
// Threads that wait for calls of InspectService; gRPC makes more while calls are under way.
constexpr int kInspectPollers = 1;

// A broken invariant seldom comes alone, and one is enough to look for the cause.
constexpr size_t kViolationsLogged = 10;

void LogViolations(const std::vector<std::string>& found, int64_t commands) {
  size_t logged = std::min(found.size(), kViolationsLogged);
  for (size_t i = 0; i < logged; ++i) {
    LogError("invariant broken", {{"what", found[i]},
                                  {"found", fmt::format("{}", found.size())},
                                  {"after_commands", fmt::format("{}", commands)}});
  }
}

runtime::BrainOptions ToBrainOptions(const Settings& settings) {
  runtime::BrainOptions out;
  out.engine = settings.engine;
  out.fact_capacity = settings.fact_capacity;
  out.bulk_capacity = settings.bulk_capacity;
  out.slice_work_units = settings.slice_work_units;
  out.invariant_period = std::chrono::milliseconds(settings.invariant_period.ms);
  out.on_violations = LogViolations;
  return out;
}

}  // namespace

Server::Server(Settings settings)
    : settings_(std::move(settings)),
      brain_(ToBrainOptions(settings_)),
      metrics_(brain_, counters_, settings_),
      inspector_(brain_, settings_),
      api_(brain_, inspector_, metrics_, settings_, draining_),
      scheduler_service_(brain_, counters_, settings_),
      inspect_service_(inspector_) {}

Server::~Server() { Shutdown(); }

absl::Status Server::StartGrpc() {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("unix:" + settings_.socket_path, grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(static_cast<int>(settings_.max_frame_bytes));
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&scheduler_service_);
  builder.RegisterService(cluster_service_.get());
  builder.RegisterService(&inspect_service_);
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, kInspectPollers);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kInspectPollers);
  grpc_ = builder.BuildAndStart();
  if (!grpc_ || port <= 0) {
    return absl::FailedPreconditionError(
        fmt::format("gRPC can not listen on '{}'", settings_.socket_path));
  }
  for (const char* name : kServices) grpc_->GetHealthCheckService()->SetServingStatus(name, true);
  return absl::OkStatus();
}

absl::Status Server::Start() {
  absl::StatusOr<std::unique_ptr<SocketGuard>> socket = SocketGuard::Acquire(settings_.socket_path);
  if (!socket.ok()) return socket.status();
  socket_ = *std::move(socket);
  if (!socket_->warning().empty()) LogWarning(socket_->warning());
  cluster_service_ = std::make_unique<ClusterServiceImpl>(brain_, counters_, settings_,
                                                          settings_.socket_path + ".epoch");
  brain_.Start();
  if (!settings_.http_address.empty()) {
    absl::StatusOr<std::unique_ptr<HttpServer>> http =
        HttpServer::Start(settings_.http_address, api_);
    if (!http.ok()) return http.status();
    http_ = *std::move(http);
  }
  absl::Status status = StartGrpc();
  if (!status.ok()) return status;
  LogInfo("phalanxd serves", {{"version", Version()},
                              {"socket", settings_.socket_path},
                              {"http_address", settings_.http_address},
                              {"http_port", fmt::format("{}", http_port())}});
  return absl::OkStatus();
}

void Server::Shutdown() {
  if (draining_.exchange(true)) return;
  if (grpc_) {
    grpc_->GetHealthCheckService()->SetServingStatus(false);
    cluster_service_->Drain();
    grpc_->Shutdown(std::chrono::system_clock::now() + kGrace);
  }
  brain_.Stop();
  http_.reset();
  grpc_.reset();
  socket_.reset();
  LogInfo("phalanxd ended");
}

}  // namespace phalanx::service

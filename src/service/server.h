// phalanxd without its main: everything wired together.
#ifndef PHALANX_SERVICE_SERVER_H_
#define PHALANX_SERVICE_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "runtime/brain.h"
#include "service/cluster_service.h"
#include "service/counters.h"
#include "service/http_api.h"
#include "service/http_server.h"
#include "service/inspect_service.h"
#include "service/inspector.h"
#include "service/metrics.h"
#include "service/scheduler_service.h"
#include "service/settings.h"
#include "service/socket_guard.h"

namespace phalanx::service {

class Server {
 public:
  explicit Server(Settings settings);
  ~Server();  // shuts down
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Takes the socket, starts the engine thread, gRPC and HTTP. On an error nothing is left running.
  absl::Status Start();
  // Health turns NOT_SERVING, streams end with UNAVAILABLE, whatever is still open after a second
  // is cancelled, threads end. Under 5 s unless a single command of the engine takes longer.
  // Idempotent.
  void Shutdown();

  // The port that HTTP listens on; 0 if it does not.
  int http_port() const { return http_ ? http_->port() : 0; }
  runtime::Brain& brain() { return brain_; }

 private:
  absl::Status StartGrpc();

  const Settings settings_;
  ServiceCounters counters_;
  std::atomic<bool> draining_{false};
  runtime::Brain brain_;
  Metrics metrics_;
  Inspector inspector_;
  HttpApi api_;
  SchedulerServiceImpl scheduler_service_;
  InspectServiceImpl inspect_service_;
  std::unique_ptr<SocketGuard> socket_;
  std::unique_ptr<ClusterServiceImpl> cluster_service_;
  std::unique_ptr<grpc::Server> grpc_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_SERVER_H_

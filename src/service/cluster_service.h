// ClusterService: streams of adapters, of which the one that said Hello last is current.
#ifndef PHALANX_SERVICE_CLUSTER_SERVICE_H_
#define PHALANX_SERVICE_CLUSTER_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "phalanx/v1alpha1/cluster.grpc.pb.h"
#include "runtime/brain.h"
#include "runtime/epoch_store.h"
#include "service/counters.h"
#include "service/settings.h"
#include "service/sync_session.h"

namespace phalanx::service {

class ClusterServiceImpl final : public pb::ClusterService::CallbackService, public SessionHost {
 public:
  // `brain`, `counters` and `settings` outlive the service. Epochs are kept in `epoch_path`.
  ClusterServiceImpl(runtime::Brain& brain, ServiceCounters& counters, const Settings& settings,
                     std::string epoch_path);

  grpc::ServerBidiReactor<pb::SyncRequest, pb::SyncResponse>* Sync(
      grpc::CallbackServerContext* context) override;

  // Ends every stream with UNAVAILABLE, also those that are still to come. A gRPC server does not
  // shut down while a reactor is unfinished.
  void Drain();

  void Welcome(std::shared_ptr<SyncSession> session, const pb::Hello& hello) override;
  void Gone(SyncSession* session) override;

 private:
  runtime::Brain& brain_;
  ServiceCounters& counters_;
  const Settings& settings_;

  std::mutex hello_mutex_;  // epochs reach the brain in the order in which they are made
  runtime::EpochStore epochs_;

  std::mutex sessions_mutex_;
  std::vector<std::weak_ptr<SyncSession>> sessions_;
  std::weak_ptr<SyncSession> current_;
  bool draining_ = false;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_CLUSTER_SERVICE_H_

// SchedulerService: the scheduler's extension points, answered from the published table.
//
// No handler waits for anything, so every call is finished before its handler returns, and a
// shut-down finds none of them open.
#ifndef PHALANX_SERVICE_SCHEDULER_SERVICE_H_
#define PHALANX_SERVICE_SCHEDULER_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/v1alpha1/scheduler.grpc.pb.h"
#include "runtime/brain.h"
#include "service/counters.h"
#include "service/settings.h"

namespace phalanx::service {

namespace pb = ::phalanx::v1alpha1;

class SchedulerServiceImpl final : public pb::SchedulerService::CallbackService {
 public:
  // `brain` and `counters` outlive the service.
  SchedulerServiceImpl(runtime::Brain& brain, ServiceCounters& counters, const Settings& settings);

  grpc::ServerUnaryReactor* Filter(grpc::CallbackServerContext* context,
                                   const pb::FilterRequest* request,
                                   pb::FilterResponse* response) override;
  grpc::ServerUnaryReactor* Score(grpc::CallbackServerContext* context,
                                  const pb::ScoreRequest* request,
                                  pb::ScoreResponse* response) override;
  grpc::ServerUnaryReactor* Reserve(grpc::CallbackServerContext* context,
                                    const pb::ReserveRequest* request,
                                    pb::ReserveResponse* response) override;
  grpc::ServerUnaryReactor* Unreserve(grpc::CallbackServerContext* context,
                                      const pb::UnreserveRequest* request,
                                      pb::UnreserveResponse* response) override;
  grpc::ServerUnaryReactor* Permit(grpc::CallbackServerContext* context,
                                   const pb::PermitRequest* request,
                                   pb::PermitResponse* response) override;

 private:
  // The epoch is current and the pod is named.
  grpc::Status Check(uint64_t epoch, const std::string& pod_uid, CallCounters& calls) const;
  // Also finds the pod's answer.
  grpc::Status Look(uint64_t epoch, const std::string& pod_uid, CallCounters& calls,
                    PodAnswer& answer) const;
  // Posts that the member waits at the barrier.
  grpc::Status TellReserved(const pb::PermitRequest& request);

  runtime::Brain& brain_;
  ServiceCounters& counters_;
  std::vector<std::string> accelerators_;
  int64_t permit_timeout_ms_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_SCHEDULER_SERVICE_H_

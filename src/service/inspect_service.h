// InspectService over gRPC, on the same socket as the other services.
//
// Handlers wait for the engine thread, so they run on gRPC's threads for such calls and not on
// those that serve the adapter's stream.
#ifndef PHALANX_SERVICE_INSPECT_SERVICE_H_
#define PHALANX_SERVICE_INSPECT_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "phalanx/v1alpha1/inspect.grpc.pb.h"
#include "service/inspector.h"

namespace phalanx::service {

class InspectServiceImpl final : public pb::InspectService::Service {
 public:
  // `inspector` outlives the service.
  explicit InspectServiceImpl(Inspector& inspector) : inspector_(inspector) {}

  grpc::Status ListGangs(grpc::ServerContext* context, const pb::ListGangsRequest* request,
                         pb::ListGangsResponse* response) override;
  grpc::Status GetGang(grpc::ServerContext* context, const pb::GetGangRequest* request,
                       pb::GetGangResponse* response) override;
  grpc::Status ExplainGang(grpc::ServerContext* context, const pb::ExplainGangRequest* request,
                           pb::ExplainGangResponse* response) override;
  grpc::Status GetTopology(grpc::ServerContext* context, const pb::GetTopologyRequest* request,
                           pb::GetTopologyResponse* response) override;
  grpc::Status ListNodes(grpc::ServerContext* context, const pb::ListNodesRequest* request,
                         pb::ListNodesResponse* response) override;
  grpc::Status ListHashes(grpc::ServerContext* context, const pb::ListHashesRequest* request,
                          pb::ListHashesResponse* response) override;
  grpc::Status GetFieldHashes(grpc::ServerContext* context,
                              const pb::GetFieldHashesRequest* request,
                              pb::GetFieldHashesResponse* response) override;

 private:
  Inspector& inspector_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_INSPECT_SERVICE_H_

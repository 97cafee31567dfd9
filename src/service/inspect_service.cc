#include "service/inspect_service.h"

#include <string>

namespace phalanx::service {
namespace {

// The codes of both have the same numbers.
grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

}  // namespace

grpc::Status InspectServiceImpl::ListGangs(grpc::ServerContext* /*context*/,
                                           const pb::ListGangsRequest* request,
                                           pb::ListGangsResponse* response) {
  return ToGrpc(inspector_.ListGangs(*request, *response));
}

grpc::Status InspectServiceImpl::GetGang(grpc::ServerContext* /*context*/,
                                         const pb::GetGangRequest* request,
                                         pb::GetGangResponse* response) {
  return ToGrpc(inspector_.GetGang(*request, *response));
}

grpc::Status InspectServiceImpl::ExplainGang(grpc::ServerContext* /*context*/,
                                             const pb::ExplainGangRequest* request,
                                             pb::ExplainGangResponse* response) {
  return ToGrpc(inspector_.ExplainGang(*request, *response));
}

grpc::Status InspectServiceImpl::GetTopology(grpc::ServerContext* /*context*/,
                                             const pb::GetTopologyRequest* request,
                                             pb::GetTopologyResponse* response) {
  return ToGrpc(inspector_.GetTopology(*request, *response));
}

grpc::Status InspectServiceImpl::ListNodes(grpc::ServerContext* /*context*/,
                                           const pb::ListNodesRequest* request,
                                           pb::ListNodesResponse* response) {
  return ToGrpc(inspector_.ListNodes(*request, *response));
}

grpc::Status InspectServiceImpl::ListHashes(grpc::ServerContext* /*context*/,
                                            const pb::ListHashesRequest* request,
                                            pb::ListHashesResponse* response) {
  return ToGrpc(inspector_.ListHashes(*request, *response));
}

grpc::Status InspectServiceImpl::GetFieldHashes(grpc::ServerContext* /*context*/,
                                                const pb::GetFieldHashesRequest* request,
                                                pb::GetFieldHashesResponse* response) {
  return ToGrpc(inspector_.GetFieldHashes(*request, *response));
}

}  // namespace phalanx::service

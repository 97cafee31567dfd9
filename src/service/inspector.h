// Answers what people and tools ask about the brain: the one source of InspectService and of
// /api/v1.
//
// Lists come from published copies (runtime/published.h), one gang in full is copied by the engine
// thread between two commands, which costs O(its members).
//
// Threads: any; each call waits for the engine thread for at most the query deadline.
// Errors: INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE as in inspect.proto; the response is then empty.
#ifndef PHALANX_SERVICE_INSPECTOR_H_
#define PHALANX_SERVICE_INSPECTOR_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "phalanx/v1alpha1/inspect.pb.h"
#include "phalanx/view.h"
#include "runtime/brain.h"
#include "runtime/published.h"
#include "service/settings.h"

namespace phalanx::service {

namespace pb = ::phalanx::v1alpha1;

void PutView(const runtime::Stamp& stamp, pb::View* out);

class Inspector {
 public:
  // Both outlive it.
  Inspector(runtime::Brain& brain, const Settings& settings);

  absl::Status ListGangs(const pb::ListGangsRequest& request, pb::ListGangsResponse& response);
  absl::Status GetGang(const pb::GetGangRequest& request, pb::GetGangResponse& response);
  absl::Status ExplainGang(const pb::ExplainGangRequest& request,
                           pb::ExplainGangResponse& response);
  absl::Status GetTopology(const pb::GetTopologyRequest& request,
                           pb::GetTopologyResponse& response);
  absl::Status ListNodes(const pb::ListNodesRequest& request, pb::ListNodesResponse& response);
  absl::Status ListHashes(const pb::ListHashesRequest& request, pb::ListHashesResponse& response);
  absl::Status GetFieldHashes(const pb::GetFieldHashesRequest& request,
                              pb::GetFieldHashesResponse& response);

 private:
  std::chrono::milliseconds Deadline() const;
  absl::Status ToStatus(runtime::QueryError error) const;
  absl::StatusOr<GangView> Find(const GangKey& key);
  absl::Status AddHelp(const GangKey& key, pb::ExplainGangResponse& response);
  // Those that wait right before `gang`, and how many wait in all.
  void AddAhead(const GangView& gang, pb::ExplainGangResponse& response);

  runtime::Brain& brain_;
  const Settings& settings_;
  runtime::Published<std::vector<GangView>> gangs_;
  runtime::Published<std::vector<NodeView>> nodes_;  // by name
  runtime::Published<TopologyView> topology_;
  runtime::Published<std::vector<EntityHash>> hashes_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_INSPECTOR_H_

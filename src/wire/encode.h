// The engine's directives and answers into messages for the adapter.
//
// Threads: pure functions. No errors: what the engine says is right by construction.
#ifndef PHALANX_WIRE_ENCODE_H_
#define PHALANX_WIRE_ENCODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/outcome.h"
#include "phalanx/v1alpha1/cluster.pb.h"
#include "phalanx/v1alpha1/scheduler.pb.h"

namespace phalanx::wire {

namespace pb = ::phalanx::v1alpha1;

pb::SyncResponse EncodeDirective(uint64_t epoch, const Directive& directive);

// What the brain wants to know: keys of the dialects, held keys, and `accelerators` as held
// resources.
pb::SyncResponse EncodeWelcome(uint64_t epoch, const std::vector<std::string>& accelerators,
                               int64_t max_frame_bytes);

// REQUIRES for all three: answer.kind is not kUnknown.
pb::FilterResponse EncodeFilter(const PodAnswer& answer);
// Accepted if plan and node are the current ones.
pb::ReserveResponse EncodeReserve(const PodAnswer& answer, const pb::ReserveRequest& request);
// A pod waits at the barrier for at most `timeout_ms`.
pb::PermitResponse EncodePermit(const PodAnswer& answer, const pb::PermitRequest& request,
                                int64_t timeout_ms);

// Loose pods stay off nodes with accelerators.
pb::ScoreResponse EncodeScore(const std::vector<std::string>& accelerators);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_ENCODE_H_

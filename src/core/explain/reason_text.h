// Reasons into words: the only place where text about waiting is made.
//
// Sentences have no final stop and fit behind "gang NAME waits: ". They carry the numbers of the
// reason, and what to do next where somebody can do something.
#ifndef PHALANX_CORE_EXPLAIN_REASON_TEXT_H_
#define PHALANX_CORE_EXPLAIN_REASON_TEXT_H_

#include <string>
#include <string_view>

#include "phalanx/gang_report.h"
#include "phalanx/verdict.h"
#include "phalanx/view.h"

namespace phalanx {

// Stable, in CamelCase: for metrics, conditions, events. "Unknown" for a number that is no code.
std::string_view ReasonName(ReasonCode code);
std::string_view ExclusionName(ExclusionCause cause);
std::string_view StateName(GangState state);
std::string_view PhaseName(GangPhase phase);
// Words, no names: "nothing", "feasibility", ...; "engine", "host", "gang"; "input", "intent", ...
std::string_view ProvenName(ProvenThrough proven);
std::string_view EntityName(EntityKind kind);
std::string_view FieldKindName(FieldKind kind);

// What the members that the reason is about ask for, for sentences that name it; may be empty.
struct Asked {
  std::string per_member;  // "nvidia.com/gpu 4"
  int64_t members = 0;     // of the gang; 0: not told
};

// "200M of 500M are free, held by team/a (200M), team/b (100M) and others", for
// ReasonCode::kSharedResource.
std::string PoolText(const PoolView& pool);

std::string Explain(const Reason& reason, const Asked& asked = {});
// "12.5 GB/s"
std::string GigabytesText(int64_t mbps);
// "no node carries label x=y (10 of 10 nodes)"; "" for none.
std::string ExplainExclusion(const Exclusion& exclusion, int32_t nodes_in_all);

}  // namespace phalanx

#endif  // PHALANX_CORE_EXPLAIN_REASON_TEXT_H_

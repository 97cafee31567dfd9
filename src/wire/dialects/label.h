// The dialect of our own labels: what a pod says about its gang with `phalanx.dev/...` keys.
//
//   labels       gang, gang-size, role, group
//   annotations  gang-min, topology-required, topology-preferred, segment-size,
//                segment-topology-required, segment-topology-preferred, topology-exclusive,
//                group-size, group-topology-required, group-topology-preferred, expected-duration,
//                and how members are spread (spread.h)
//   written by the Binding (annotations)  plan, rank, gang-size, domain
//
// Threads: pure functions. Errors: what can not be followed becomes a Problem of the membership;
// the membership itself is always returned, so that the gang's reason can name the problem.
#ifndef PHALANX_WIRE_DIALECTS_LABEL_H_
#define PHALANX_WIRE_DIALECTS_LABEL_H_

#include <optional>
#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::wire {

inline constexpr char kGangLabel[] = "phalanx.dev/gang";
inline constexpr char kGangSizeLabel[] = "phalanx.dev/gang-size";
inline constexpr char kQueueLabel[] = "phalanx.dev/queue";
inline constexpr char kRoleLabel[] = "phalanx.dev/role";
inline constexpr char kGangMinAnnotation[] = "phalanx.dev/gang-min";
inline constexpr char kTopologyRequiredAnnotation[] = "phalanx.dev/topology-required";
inline constexpr char kTopologyPreferredAnnotation[] = "phalanx.dev/topology-preferred";
inline constexpr char kTopologyExclusiveAnnotation[] = "phalanx.dev/topology-exclusive";
inline constexpr char kGroupLabel[] = "phalanx.dev/group";
inline constexpr char kGroupSizeAnnotation[] = "phalanx.dev/group-size";
inline constexpr char kGroupRequiredAnnotation[] = "phalanx.dev/group-topology-required";
inline constexpr char kGroupPreferredAnnotation[] = "phalanx.dev/group-topology-preferred";
inline constexpr char kSegmentSizeAnnotation[] = "phalanx.dev/segment-size";
inline constexpr char kSegmentRequiredAnnotation[] = "phalanx.dev/segment-topology-required";
inline constexpr char kSegmentPreferredAnnotation[] = "phalanx.dev/segment-topology-preferred";
inline constexpr char kExpectedDurationAnnotation[] = "phalanx.dev/expected-duration";
inline constexpr char kPlanAnnotation[] = "phalanx.dev/plan";
inline constexpr char kRankAnnotation[] = "phalanx.dev/rank";
inline constexpr char kDomainAnnotation[] = "phalanx.dev/domain";
// 16 levels of 63 characters with what is between them.
inline constexpr size_t kMaxDomainPath = 1'023;

// `GangKey::source` of this dialect, and of a pod that is a gang of its own.
inline constexpr char kLabelSource[] = "label";
inline constexpr char kPodSource[] = "pod";

// The part of a pod that dialects read. The maps outlive the call.
struct PodText {
  std::string ns;
  std::string name;
  const LabelMap& labels;
  const LabelMap& annotations;
};

// nullopt if neither `gang` nor `gang-size` is there. With `gang-size` alone the pod is a gang of
// its own with a Problem.
std::optional<Membership> ReadLabelDialect(const PodText& pod);

// What all dialects read from our keys: role, queue, topology, expected duration; and the index
// that the pod's controller gave it (index.h).
void ReadSharedKeys(const PodText& pod, Membership& out);

// The membership of a pod that names no gang and asks for an accelerator.
Membership GangOfOne(const PodText& pod);

// What the Binding wrote; nullopt if nothing is there. A value that can not be read is added to
// `problems`, and nothing is returned; a domain that can not be read counts as absent.
std::optional<BoundPlan> ReadBoundPlan(const LabelMap& annotations, std::vector<Problem>& problems);

// The author's text in the way Go writes durations: "90s", "2h30m", "1.5h". nullopt if it is not
// one, or is not between 1 s and 8760 h.
std::optional<Duration> ParseDuration(const std::string& text);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_LABEL_H_

#include "wire/dialects/dialects.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "wire/dialects/index.h"
#include "wire/dialects/pod_group.h"
#include "wire/dialects/queue.h"
#include "wire/dialects/topology.h"
#include "wire/json_read.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr WatchedKind kKinds[] = {
    {"scheduling.x-k8s.io", "v1alpha1", "podgroups", kPodGroupKind, ReadPodGroup},
    {"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", kOldPodGroupKind, ReadPodGroup},
    {"phalanx.dev", "v1alpha1", "gangqueues", kGangQueueKind, ReadGangQueue},
    {"phalanx.dev", "v1alpha1", "clustertopologies", kClusterTopologyKind, ReadClusterTopology},
    {"kueue.x-k8s.io", "v1beta1", "topologies", kKueueTopologyKind, ReadKueueTopology},
    {"kai.scheduler", "v1alpha1", "topologies", kKaiTopologyKind, ReadKaiTopology},
};
constexpr const char* kOurs = "phalanx.dev/*";
constexpr const char* kHeld[] = {kGangLabel, kGangSizeLabel, kPodGroupLabel, kOldPodGroupLabel,
                                 kOldestPodGroupLabel};

std::vector<const char*> WithIndexKeys(std::vector<const char*> keys) {
  keys.insert(keys.end(), IndexKeys().begin(), IndexKeys().end());
  return keys;
}

// Our own labels count; the PodGroup that the pod names too must say the same.
Membership Confirmed(Membership own, Membership group) {
  if (own.gang.name != group.gang.name) {
    own.problems.push_back({fmt::format("metadata.labels[{}]", kGangLabel), Clip(own.gang.name),
                            fmt::format("{}, the PodGroup that another label of the pod names, or "
                                        "only one of the two labels",
                                        Clip(group.gang.name))});
  } else {
    own.terms_object = std::move(group.terms_object);
  }
  return own;
}

}  // namespace

std::optional<Membership> ReadMembership(const PodText& pod) {
  std::optional<Membership> own = ReadLabelDialect(pod);
  std::optional<Membership> group = ReadPodGroupDialect(pod);
  const bool names_gang = own && own->gang.source == kLabelSource;
  const bool names_group = group && group->gang.source != kPodSource;
  if (!names_group) return own ? own : group;
  if (!names_gang) return group;
  return Confirmed(*std::move(own), *std::move(group));
}

std::span<const WatchedKind> WatchedKinds() { return kKinds; }

const std::vector<const char*>& LabelKeys() {
  static const auto* keys = new std::vector<const char*>(
      WithIndexKeys({kOurs, kPodGroupLabel, kOldPodGroupLabel, kOldestPodGroupLabel}));
  return *keys;
}

const std::vector<const char*>& AnnotationKeys() {
  static const auto* keys = new std::vector<const char*>(WithIndexKeys({kOurs}));
  return *keys;
}

std::span<const char* const> HeldLabelKeys() { return kHeld; }

ApiObject ReadObject(const WatchedKind& kind, ObjectKey key, std::string uid,
                     std::string_view json) {
  ApiObject out{std::move(key), std::move(uid), {}, {}};
  std::optional<Problem> problem;
  const nlohmann::json object = ParseObject(json, problem);
  if (problem) {
    out.problems.push_back(*std::move(problem));
  } else {
    kind.read(object, out);
  }
  return out;
}

}  // namespace phalanx::wire

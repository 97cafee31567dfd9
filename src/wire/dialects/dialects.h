// All dialects in which pods and objects speak of gangs, and objects of queues and of the topology.
// A new one is a file of its own, one line in ReadMembership() and its row in WatchedKinds(): the
// adapter needs no change.
//
// Precedence of what a pod says:
//   1. phalanx.dev/gang                    label.h
//   2. scheduling.x-k8s.io/pod-group       pod_group.h
//   3. scheduling.sigs.k8s.io/pod-group, pod-group.scheduling.sigs.k8s.io   pod_group.h
// Where a pod speaks two of them, the first counts and the others must not contradict it: another
// name, or another minimum, is a problem, and the gang is not started.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_DIALECTS_DIALECTS_H_
#define PHALANX_WIRE_DIALECTS_DIALECTS_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "phalanx/objects.h"
#include "wire/dialects/label.h"

namespace phalanx::wire {

// nullopt: the pod names no gang.
std::optional<Membership> ReadMembership(const PodText& pod);

// A kind of objects that the brain asks for, and how it is read.
struct WatchedKind {
  const char* group;
  const char* version;
  const char* resource;
  const char* kind;  // ObjectKey::kind
  void (*read)(const nlohmann::json& json, ApiObject& out);
};
std::span<const WatchedKind> WatchedKinds();

// Keys of pods that dialects read (a trailing "*" matches any rest), and those that make a pod
// held.
const std::vector<const char*>& LabelKeys();
const std::vector<const char*>& AnnotationKeys();
std::span<const char* const> HeldLabelKeys();

// The object that `json` is. Text that can not be read is a problem of the object, since the object
// itself is there.
ApiObject ReadObject(const WatchedKind& kind, ObjectKey key, std::string uid,
                     std::string_view json);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_DIALECTS_H_

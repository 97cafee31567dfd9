// The place of a pod among its siblings, as its controller has numbered it: ranks follow it.
//
//   key of the index                              counted anew for each
//   batch.kubernetes.io/job-completion-index      jobset.sigs.k8s.io/job-global-index
//   leaderworkerset.sigs.k8s.io/worker-index      leaderworkerset.sigs.k8s.io/group-index
//   training.kubeflow.org/replica-index           training.kubeflow.org/replica-type
//   apps.kubernetes.io/pod-index                  -
//
// The first key that a pod carries counts, as annotation before label: pods of a LeaderWorkerSet
// are pods of StatefulSets as well. Kubeflow's types come in the order in which its controllers
// number ranks: chief, master or launcher, then workers, then the rest.
//
// Threads: pure functions. Errors: what is no index is a Problem of the membership.
#ifndef PHALANX_WIRE_DIALECTS_INDEX_H_
#define PHALANX_WIRE_DIALECTS_INDEX_H_

#include <span>

#include "phalanx/objects.h"

namespace phalanx::wire {

// Sets `index` and `index_group` of the membership, if the pod carries an index.
void ReadIndex(const LabelMap& labels, const LabelMap& annotations, Membership& out);

// All keys above. They are read from labels and from annotations: which of both a controller writes
// depends on its version.
std::span<const char* const> IndexKeys();

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_INDEX_H_

// What a Job (batch/v1) says about evictions of its pods.
//
// The Job controller counts a pod that is deleted before it has ended as failed, and fails the Job
// when `failed > backoffLimit`. A podFailurePolicy whose first rule for the condition
// DisruptionTarget says Ignore, which an eviction sets, takes evicted pods out of the count.
#ifndef PHALANX_WIRE_DIALECTS_JOB_H_
#define PHALANX_WIRE_DIALECTS_JOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "phalanx/objects.h"

namespace phalanx::wire {

// Of the Job's JSON. Fields that are absent have the defaults of the API. INVALID_ARGUMENT names
// what is no Job.
absl::StatusOr<JobObject> ReadJobObject(const std::string& json);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DIALECTS_JOB_H_

// May this pod be on this node at all? Kubernetes' rules, read from its documentation.
#ifndef PHALANX_CORE_JUDGE_ADMISSION_H_
#define PHALANX_CORE_JUDGE_ADMISSION_H_

#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::judge {

// What keeps the pod off the node, each in words; room is not looked at.
std::vector<std::string> Objections(const NodeObject& node, const PodObject& pod,
                                    const LabelMap& node_scope);

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_ADMISSION_H_

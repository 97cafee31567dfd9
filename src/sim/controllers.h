// The rest of a cluster: kubelets that run pods, Jobs that make lost pods again, deletion with
// grace, and the garbage collector that removes pods of nodes that are gone.
#ifndef PHALANX_SIM_CONTROLLERS_H_
#define PHALANX_SIM_CONTROLLERS_H_

#include <set>
#include <string>

#include "sim/api_server.h"
#include "sim/event_queue.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Controllers : public ApiObserver {
 public:
  Controllers(EventQueue& queue, ApiServer& api, Settings& settings, Faults& faults);

  void NodeChanged(const std::string& name, const NodeObject* node) override;
  void PodChanged(const std::string& uid, const ApiPod* pod) override;

  // Deletes with the pod's grace, as `kubectl delete pod` and the eviction API do.
  void DeletePod(const std::string& uid);
  // Deletes the pods with their Job: nothing is made again.
  void DeleteWithOwner(const std::string& uid);

 private:
  void RunKubelet(const std::string& uid);
  void Replace(const ApiPod& pod);

  EventQueue& queue_;
  ApiServer& api_;
  Settings& settings_;
  Faults& faults_;
  std::set<std::string> started_;     // UIDs that a kubelet has seen
  std::set<std::string> ended_jobs_;  // groups that were deleted as a whole
  std::set<std::string> replaced_;    // UIDs for which nothing is to be made (any more)
  std::map<std::string, ApiPod> last_seen_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CONTROLLERS_H_

// Devices that pods share: how much of each is taken, and by whom.
//
//     node n1, 4 devices    | whole |  460 + 500 of 1000 |  300 of 1000 | idle |
//                             ledger   device 0, left 40    device 1      is taken when it is
//                                                           left 700      needed
//
// Such a device counts as used by whoever asks for whole ones. A part goes to the shared device
// that has the least left and suffices, the first on a tie; only where none does, to another
// device. The pod keeps that device.
#ifndef PHALANX_CORE_CLUSTER_SHARED_DEVICES_H_
#define PHALANX_CORE_CLUSTER_SHARED_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/cluster/resources.h"
#include "phalanx/ids.h"

namespace phalanx {

class SharedDevices {
 public:
  // No-op if the pod has this part on this node already; one that it has elsewhere is given back.
  void Take(PodId pod, NodeId node, const DeviceShare& share);
  // No-op if the pod has none.
  void Give(PodId pod);

  // How many devices of the resource are shared. O(shared devices of the node).
  int64_t Count(NodeId node, ResourceId device) const;
  // What is left of each of them, in thousandths, the least first.
  std::vector<int32_t> Left(NodeId node, ResourceId device) const;
  // How many more parts of that size they hold.
  int64_t Slots(NodeId node, const DeviceShare& share) const;

  // True if what is taken of each device equals a recomputation from the pods, and none is taken
  // beyond its end. O(pods).
  bool Check() const;

 private:
  struct Device {
    ResourceId resource;
    int32_t taken = 0;  // 0: nobody has a part of it, the entry is free

    int32_t left() const { return kWholeDevice - taken; }
  };
  struct Part {
    NodeId node;
    size_t device = 0;  // in devices_[node]
    DeviceShare share;
  };

  std::vector<std::vector<Device>> devices_;  // by node
  std::map<PodId, Part> parts_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_SHARED_DEVICES_H_

// Parts of devices in a QuantityMap.
#ifndef PHALANX_DEVICE_SHARE_H_
#define PHALANX_DEVICE_SHARE_H_

#include <string_view>

namespace phalanx {

// kShareOf + NAME is a part of one device NAME in thousandths, below 1000, at most one a pod. No
// name that Kubernetes allows, so nothing that a cluster's pod asks for can be taken for it.
inline constexpr std::string_view kShareOf = "share of ";

}  // namespace phalanx

#endif  // PHALANX_DEVICE_SHARE_H_

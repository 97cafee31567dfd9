// Ports of the host, counted as resources of which each node has one: "host-port/TCP/8080" is what
// the adapter makes of a container's hostPort. Addresses (hostIP) are not told apart, so two pods
// with one port on different addresses are kept on different nodes.
#ifndef PHALANX_HOST_PORT_H_
#define PHALANX_HOST_PORT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "phalanx/objects.h"

namespace phalanx {

inline bool IsHostPort(std::string_view resource) { return resource.starts_with("host-port/"); }

// How much of a resource a node has for its pods.
inline int64_t AllocatableOf(const NodeObject& node, const std::string& resource) {
  if (IsHostPort(resource)) return 1;
  if (IsSharedPool(resource)) return kMaxQuantity;
  const auto it = node.allocatable.find(resource);
  return it == node.allocatable.end() ? 0 : it->second;
}

}  // namespace phalanx

#endif  // PHALANX_HOST_PORT_H_

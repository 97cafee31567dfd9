// Resources that all nodes share, such as the throughput of a filesystem or licences: counted as
// resources of pods, of which each node has as much as one likes and the cluster has so much in
// all, as an object declares. "shared resource NAME" is what a pod's annotation becomes; no
// resource of a node has a name with spaces.
#ifndef PHALANX_SHARED_POOL_H_
#define PHALANX_SHARED_POOL_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace phalanx {

inline constexpr std::string_view kSharedPool = "shared resource ";

inline bool IsSharedPool(std::string_view resource) { return resource.starts_with(kSharedPool); }

struct SharedPool {
  std::string name;
  int64_t capacity = 0;

  friend auto operator<=>(const SharedPool&, const SharedPool&) = default;
};

}  // namespace phalanx

#endif  // PHALANX_SHARED_POOL_H_

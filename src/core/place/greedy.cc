#include "core/place/greedy.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/place/tree_query.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

struct Child {
  Vertex vertex;
  int64_t slots = 0;
};

// Children with slots, fewest first; equal ones depth first.
std::vector<Child> ChildrenBySlots(const Topology& topology, const SlotTree& slots,
                                   DomainId domain) {
  std::vector<Child> out;
  for (const DomainId child : topology.domain(domain).children) {
    const int64_t here = slots.Sum(child);
    if (here > 0) out.push_back({{child, HostId::None()}, here});
  }
  for (const HostSlots& host : DirectHosts(topology, slots, domain)) {
    out.push_back({{DomainId::None(), host.host}, host.slots});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Child& a, const Child& b) { return a.slots < b.slots; });
  return out;
}

}  // namespace

void PlaceGreedily(const Topology& topology, const SlotTree& slots, DomainId domain,
                   int32_t members, std::vector<HostShare>& taken) {
  std::vector<Child> children = ChildrenBySlots(topology, slots, domain);
  while (members > 0) {
    PHALANX_CHECK(!children.empty(), "{} members left over", members);
    auto chosen =
        std::lower_bound(children.begin(), children.end(), members,
                         [](const Child& child, int32_t all) { return child.slots < all; });
    if (chosen == children.end()) --chosen;
    const auto here = static_cast<int32_t>(std::min<int64_t>(chosen->slots, members));
    if (chosen->vertex.host.valid()) {
      taken.push_back({chosen->vertex.host, here});
    } else {
      PlaceGreedily(topology, slots, chosen->vertex.domain, here, taken);
    }
    members -= here;
    children.erase(chosen);
  }
}

}  // namespace phalanx

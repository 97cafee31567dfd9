#include "core/place/position.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <vector>

namespace phalanx {
namespace {

// Members of each role on a range of hosts.
class Members {
 public:
  Members(const std::vector<RoleRequest>& roles, const Placement& placement)
      : before_(roles.size(), std::vector<int32_t>{0}) {
    for (const SlotsOnHost& slot : placement.slots) {
      hosts_.push_back(slot.host.value());
      for (size_t role = 0; role < roles.size(); ++role) {
        const int32_t here = roles[role].shape == slot.shape ? slot.count : 0;
        before_[role].push_back(before_[role].back() + here);
      }
    }
  }

  std::vector<int32_t> On(const HostRange& range) const {
    const auto at = [&](uint32_t host) {
      return static_cast<size_t>(std::ranges::lower_bound(hosts_, host) - hosts_.begin());
    };
    const size_t first = at(range.first.value());
    const size_t last = at(range.end());
    std::vector<int32_t> out;
    for (const std::vector<int32_t>& sums : before_) out.push_back(sums[last] - sums[first]);
    return out;
  }

 private:
  std::vector<uint32_t> hosts_;               // by slot, ascending
  std::vector<std::vector<int32_t>> before_;  // by role, by slot: members on the slots before it
};

class Comparison {
 public:
  Comparison(const Topology& topology, const std::vector<RoleRequest>& roles, const Placement& a,
             const Placement& b)
      : topology_(topology), a_(roles, a), b_(roles, b) {}

  // Less: `a` lies before `b` below this domain.
  std::strong_ordering Below(DomainId id) const {
    const Topology::Domain& domain = topology_.domain(id);
    uint32_t direct = domain.first_host.value();  // hosts directly below come after sub-domains
    for (const DomainId child : domain.children) {
      if (const auto order = On(HostsOf(child)); order != 0) return order;
      direct = HostsOf(child).end();
    }
    const uint32_t end = domain.first_host.value() + domain.host_count;
    for (; direct < end; ++direct) {
      if (const auto order = On({HostId(direct), 1}); order != 0) return order;
    }
    for (const DomainId child : domain.children) {
      if (std::ranges::max(a_.On(HostsOf(child))) == 0) continue;
      if (const auto order = Below(child); order != 0) return order;
    }
    return std::strong_ordering::equal;
  }

 private:
  HostRange HostsOf(DomainId id) const {
    return {topology_.domain(id).first_host, topology_.domain(id).host_count};
  }
  // More members come first.
  std::strong_ordering On(const HostRange& range) const { return b_.On(range) <=> a_.On(range); }

  const Topology& topology_;
  const Members a_;
  const Members b_;
};

}  // namespace

bool LiesBefore(const Topology& topology, const std::vector<RoleRequest>& roles, const Placement& a,
                const Placement& b) {
  std::vector<RoleRequest> ordered = roles;
  std::ranges::stable_sort(ordered, std::greater<>(), &RoleRequest::count);
  return Comparison(topology, ordered, a, b).Below(topology.root()) < 0;
}

}  // namespace phalanx

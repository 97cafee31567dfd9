// One number per host with its sums over domains.
//
// Belongs to one generation of the topology. A change of one host costs O(levels), a sum nothing.
#ifndef PHALANX_CORE_CLUSTER_HOST_TABLE_H_
#define PHALANX_CORE_CLUSTER_HOST_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/ratio.h"
#include "core/cluster/topology.h"
#include "phalanx/ids.h"

namespace phalanx {

template <class Value, class Total>
class HostTable {
 public:
  HostTable() = default;
  // `values` by host. O(hosts + domains).
  HostTable(const Topology& topology, std::vector<Value> values) : values_(std::move(values)) {
    PHALANX_CHECK(values_.size() == topology.hosts().size(), "{} values for {} hosts",
                  values_.size(), topology.hosts().size());
    sums_.resize(topology.domains().size());
    for (size_t host = 0; host < values_.size(); ++host) {
      sums_[topology.hosts()[host].parent.index()] += values_[host];
    }
    // Children have higher ids than their parents.
    for (size_t id = sums_.size(); id-- > 1;) {
      sums_[topology.domains()[id].parent.index()] += sums_[id];
    }
  }

  // With sums of the caller's own making, by domain.
  HostTable(std::vector<Value> values, std::vector<Total> sums)
      : values_(std::move(values)), sums_(std::move(sums)) {}

  Value At(HostId host) const { return values_[host.index()]; }
  Total Sum(DomainId domain) const { return sums_[domain.index()]; }
  Total Sum() const { return sums_.empty() ? Total{0} : sums_.front(); }
  size_t hosts() const { return values_.size(); }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Total>& sums() const { return sums_; }

  void Set(const Topology& topology, HostId host, Value value) {
    const Total change = Total{value} - Total{values_[host.index()]};
    if (change == 0) return;
    values_[host.index()] = value;
    for (DomainId id = topology.host(host).parent; id.valid(); id = topology.domain(id).parent) {
      sums_[id.index()] += change;
    }
  }

  friend bool operator==(const HostTable&, const HostTable&) = default;

 private:
  std::vector<Value> values_;  // by host
  std::vector<Total> sums_;    // by domain
};

// Slots of one shape.
using SlotTree = HostTable<int32_t, int64_t>;
// A quantity of one resource.
using QuantityTree = HostTable<int64_t, Int128>;

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_HOST_TABLE_H_

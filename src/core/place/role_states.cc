#include "core/place/role_states.h"

#include <algorithm>

namespace phalanx {

RoleStates::RoleStates(const std::vector<RoleRequest>& roles) {
  for (size_t i = 1; i < roles.size(); ++i) {
    if (roles[i].count > roles[large_].count) large_ = i;
  }
  for (size_t i = 0; i < roles.size(); ++i) {
    if (i == large_) continue;
    small_.push_back(i);
    most_.push_back(roles[i].count);
    stride_.push_back(states_);
    // Few() is all that is asked of more.
    states_ = std::min<int64_t>(states_ * (roles[i].count + 1), kMostStates + 1);
  }
}

size_t RoleStates::Sum(size_t a, size_t b) const {
  for (size_t i = 0; i < small_.size(); ++i) {
    if (Digit(a, i) + Digit(b, i) > most_[i]) return size();
  }
  return a + b;
}

namespace {

// Whether a node has this much free.
bool Has(const Cluster& cluster, NodeId node, const Resources& amount) {
  return std::all_of(amount.entries().begin(), amount.entries().end(), [&](const auto& entry) {
    return cluster.Free(node, entry.first) >= entry.second;
  });
}

}  // namespace

std::vector<int32_t> LargeBesideSmall(const Cluster& cluster, const RoleStates& states,
                                      const std::vector<RoleRequest>& roles,
                                      const std::vector<SlotTree>& free, HostId host) {
  const NodeId node = cluster.topology().host(host).node;
  const int32_t alone = free[states.large()].At(host);
  std::vector<int32_t> beside = {alone};
  for (size_t state = 1; state < states.size(); ++state) {
    Resources taken;
    bool fits = true;
    for (size_t i = 0; i < states.small().size(); ++i) {
      const int32_t members = states.Digit(state, i);
      if (members == 0) continue;
      const size_t role = states.small()[i];
      fits = fits && free[role].At(host) >= members;
      taken.Add(cluster.shapes().Get(roles[role].shape).request.InWholeDevices(), members);
    }
    if (!fits || !Has(cluster, node, taken)) {
      beside.push_back(-1);
    } else if (alone == 0) {
      beside.push_back(0);
    } else {
      const int64_t left = cluster.Slots(node, roles[states.large()].shape, taken);
      beside.push_back(static_cast<int32_t>(std::min<int64_t>(left, alone)));
    }
  }
  return beside;
}

}  // namespace phalanx

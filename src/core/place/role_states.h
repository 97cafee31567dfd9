// States of small roles: how many members of each are somewhere, as one number.
#ifndef PHALANX_CORE_PLACE_ROLE_STATES_H_
#define PHALANX_CORE_PLACE_ROLE_STATES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/placement.h"

namespace phalanx {

// The roles of a request, split into the large one (most members, the first on a tie) and the small
// ones. A state is a mixed-radix number with one digit per small role:
//
//     small roles of 1 and 2 members:  state = d1 + 2 * d2,  6 states, 5 = all of them
class RoleStates {
 public:
  static constexpr int64_t kMostStates = 16;

  // REQUIRES: at least two roles.
  explicit RoleStates(const std::vector<RoleRequest>& roles);

  // More than kMostStates: of no use.
  bool Few() const { return states_ <= kMostStates; }
  size_t size() const { return static_cast<size_t>(states_); }
  size_t all() const { return size() - 1; }
  // Indexes into the roles of the request.
  size_t large() const { return large_; }
  const std::vector<size_t>& small() const { return small_; }

  // Members of the i-th small role.
  int32_t Digit(size_t state, size_t i) const {
    return static_cast<int32_t>(static_cast<int64_t>(state) / stride_[i] % (most_[i] + 1));
  }
  // Both together; size() if a role would have more members than it has.
  size_t Sum(size_t a, size_t b) const;

 private:
  size_t large_ = 0;
  std::vector<size_t> small_;
  std::vector<int64_t> most_;    // by small role
  std::vector<int64_t> stride_;  // by small role
  int64_t states_ = 1;
};

// How many members of the large role a host takes beside the small ones of each state; -1: the
// small ones do not fit. `free` by role: what each finds there by itself.
std::vector<int32_t> LargeBesideSmall(const Cluster& cluster, const RoleStates& states,
                                      const std::vector<RoleRequest>& roles,
                                      const std::vector<SlotTree>& free, HostId host);

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_ROLE_STATES_H_

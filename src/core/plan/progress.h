// When the scheduler last reserved a member of some plan or of one admitted before it.
//
// It takes pods about in the order of their admission, so a plan whose turn has not come is not
// late while it works on earlier ones. What is kept ascends in both plan and time: progress of a
// plan makes all that is known of later plans obsolete.
//
//     plan   3      7      9           note(7, t=60):    3      7
//     time   t=10   t=40   t=50                          t=10   t=60
#ifndef PHALANX_CORE_PLAN_PROGRESS_H_
#define PHALANX_CORE_PLAN_PROGRESS_H_

#include <cstdint>
#include <iterator>
#include <map>

#include "phalanx/time.h"

namespace phalanx {

class ReserveProgress {
 public:
  // REQUIRES: `now` is not before that of the last call. Amortized O(log plans).
  void Note(uint64_t plan, Time now) {
    last_.erase(last_.lower_bound(plan), last_.end());
    last_.emplace_hint(last_.end(), plan, now);
  }
  // Time{0} if there was none.
  Time Last(uint64_t plan) const {
    auto it = last_.upper_bound(plan);
    return it == last_.begin() ? Time{} : std::prev(it)->second;
  }
  // Drops what is older than `time`.
  void ForgetBefore(Time time) {
    while (!last_.empty() && last_.begin()->second < time) last_.erase(last_.begin());
  }
  void Clear() { last_.clear(); }
  const std::map<uint64_t, Time>& entries() const { return last_; }

 private:
  std::map<uint64_t, Time> last_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_PROGRESS_H_

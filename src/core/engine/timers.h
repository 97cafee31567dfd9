// When each gang wants to be looked at next; at most one time per gang.
#ifndef PHALANX_CORE_ENGINE_TIMERS_H_
#define PHALANX_CORE_ENGINE_TIMERS_H_

#include <set>
#include <utility>
#include <vector>

#include "phalanx/ids.h"
#include "phalanx/time.h"

namespace phalanx {

class Timers {
 public:
  // Moves the time of a gang from `old` to `now`; Time::Never() is none.
  void Move(GangId gang, Time old, Time now) {
    if (old == now) return;
    if (old != Time::Never()) due_.erase({old, gang});
    if (now != Time::Never()) due_.emplace(now, gang);
  }
  Time Next() const { return due_.empty() ? Time::Never() : due_.begin()->first; }
  // The gangs that are due by `now`; they stay registered.
  std::vector<GangId> Due(Time now) const {
    std::vector<GangId> out;
    for (auto it = due_.begin(); it != due_.end() && it->first <= now; ++it) {
      out.push_back(it->second);
    }
    return out;
  }
  bool Has(GangId gang, Time time) const { return due_.count({time, gang}) > 0; }
  size_t size() const { return due_.size(); }

 private:
  std::set<std::pair<Time, GangId>> due_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_TIMERS_H_

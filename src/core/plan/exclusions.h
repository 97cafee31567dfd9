// Nodes that the scheduler's own plugins refused lately, left out per shape until they expire.
#ifndef PHALANX_CORE_PLAN_EXCLUSIONS_H_
#define PHALANX_CORE_PLAN_EXCLUSIONS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/place/placement.h"
#include "phalanx/ids.h"
#include "phalanx/time.h"

namespace phalanx {

class Exclusions {
 public:
  // Leaving out the same node again only moves the end.
  void Add(ShapeId shape, NodeId node, const std::string& plugin, Time until);
  // Drops what ended; true if anything did.
  bool Expire(Time now);
  // Time::Never() when empty.
  Time NextExpiry() const;
  // Those of one shape, by node.
  void Collect(ShapeId shape, std::vector<HostExclusion>* out) const;
  size_t size() const { return entries_.size(); }

  struct Entry {
    std::string plugin;
    Time until;
  };
  using Key = std::pair<ShapeId, NodeId>;
  const std::map<Key, Entry>& entries() const { return entries_; }

 private:
  std::map<Key, Entry> entries_;
  std::set<std::pair<Time, Key>> by_end_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_EXCLUSIONS_H_

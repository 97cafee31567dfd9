#include "core/plan/exclusions.h"

namespace phalanx {

void Exclusions::Add(ShapeId shape, NodeId node, const std::string& plugin, Time until) {
  const Key key{shape, node};
  auto [it, added] = entries_.try_emplace(key, Entry{plugin, until});
  if (!added) {
    by_end_.erase({it->second.until, key});
    it->second = Entry{plugin, until};
  }
  by_end_.emplace(until, key);
}

bool Exclusions::Expire(Time now) {
  bool any = false;
  while (!by_end_.empty() && by_end_.begin()->first <= now) {
    entries_.erase(by_end_.begin()->second);
    by_end_.erase(by_end_.begin());
    any = true;
  }
  return any;
}

Time Exclusions::NextExpiry() const {
  return by_end_.empty() ? Time::Never() : by_end_.begin()->first;
}

void Exclusions::Collect(ShapeId shape, std::vector<HostExclusion>* out) const {
  for (auto it = entries_.lower_bound({shape, NodeId(0)});
       it != entries_.end() && it->first.first == shape; ++it) {
    out->push_back({shape, it->first.second, it->second.plugin});
  }
}

}  // namespace phalanx

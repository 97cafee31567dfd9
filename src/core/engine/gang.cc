#include "core/engine/gang.h"

namespace phalanx {

GangId GangTable::Find(const GangKey& key) const {
  auto it = ids_.find(key);
  return it == ids_.end() ? GangId::None() : it->second;
}

GangId GangTable::FindOrAdd(const GangKey& key) {
  auto [it, added] = ids_.try_emplace(key, GangId());
  if (!added) return it->second;
  if (free_.empty()) {
    it->second = GangId(static_cast<uint32_t>(gangs_.size()));
    gangs_.emplace_back();
  } else {
    it->second = free_.back();
    free_.pop_back();
  }
  gangs_[it->second.index()] = std::make_unique<Gang>();
  Get(it->second).key = key;
  return it->second;
}

void GangTable::Remove(GangId id) {
  ids_.erase(Get(id).key);
  gangs_[id.index()].reset();
  free_.push_back(id);
}

}  // namespace phalanx

#include "core/engine/pods.h"

namespace phalanx {

PodId PodTable::Find(std::string_view uid) const {
  auto it = ids_.find(std::string(uid));
  return it == ids_.end() ? PodId::None() : it->second;
}

PodId PodTable::Add(std::string_view uid) {
  PodId id(limit());
  if (free_.empty()) {
    pods_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Get(id).uid = std::string(uid);
  ids_.emplace(std::string(uid), id);
  return id;
}

void PodTable::Remove(PodId id) {
  ids_.erase(Get(id).uid);
  Get(id) = Pod();
  free_.push_back(id);
}

}  // namespace phalanx

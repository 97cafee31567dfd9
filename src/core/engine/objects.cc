#include "core/engine/objects.h"

#include <utility>

namespace phalanx {

const ApiObject* ObjectTable::Find(const ObjectKey& key) const {
  auto it = entries_.find(key);
  return it == entries_.end() ? nullptr : &it->second.object;
}

bool ObjectTable::Upsert(ApiObject object, uint64_t epoch) {
  Entry& entry = entries_[object.key];
  entry.seen_epoch = epoch;
  if (entry.object == object) return false;
  entry.object = std::move(object);
  return true;
}

bool ObjectTable::Remove(const ObjectKey& key, const std::string& uid) {
  auto it = entries_.find(key);
  if (it == entries_.end()) return false;
  if (!uid.empty() && it->second.object.uid != uid) return false;
  entries_.erase(it);
  return true;
}

std::vector<ObjectKey> ObjectTable::UnseenIn(uint64_t epoch) const {
  std::vector<ObjectKey> out;
  for (const auto& [key, entry] : entries_) {
    if (entry.seen_epoch != epoch) out.push_back(key);
  }
  return out;
}

void ObjectTable::Drop(const ObjectKey& key, GangId gang) {
  auto it = users_.find(key);
  if (it == users_.end()) return;
  it->second.erase(gang);
  if (it->second.empty()) users_.erase(it);
}

const std::set<GangId>& ObjectTable::UsersOf(const ObjectKey& key) const {
  static const auto* const kNone = new std::set<GangId>();
  auto it = users_.find(key);
  return it == users_.end() ? *kNone : it->second;
}

}  // namespace phalanx

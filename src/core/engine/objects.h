// Objects other than nodes and pods, as inputs: the mirror of what the API server has, and which
// gangs read each of them.
//
// Lookup and update cost O(log objects); a change touches the gangs that name the object, and no
// other.
#ifndef PHALANX_CORE_ENGINE_OBJECTS_H_
#define PHALANX_CORE_ENGINE_OBJECTS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "phalanx/ids.h"
#include "phalanx/objects.h"

namespace phalanx {

class ObjectTable {
 public:
  struct Entry {
    ApiObject object;
    uint64_t seen_epoch = 0;
  };

  // nullptr: there is none.
  const ApiObject* Find(const ObjectKey& key) const;
  // Whether it says something else than before.
  bool Upsert(ApiObject object, uint64_t epoch);
  // Whether it was there. An empty UID stands for any.
  bool Remove(const ObjectKey& key, const std::string& uid);
  // Those that were not sent in this epoch.
  std::vector<ObjectKey> UnseenIn(uint64_t epoch) const;
  const std::map<ObjectKey, Entry>& entries() const { return entries_; }

  // The gang reads the object, whether it is there or not.
  void Use(const ObjectKey& key, GangId gang) { users_[key].insert(gang); }
  void Drop(const ObjectKey& key, GangId gang);
  const std::set<GangId>& UsersOf(const ObjectKey& key) const;

 private:
  std::map<ObjectKey, Entry> entries_;
  std::map<ObjectKey, std::set<GangId>> users_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_OBJECTS_H_

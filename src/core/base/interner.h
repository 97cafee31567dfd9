// A table from names to dense ids and back. Ids are never reused: names of resources, levels and
// label keys are few and repeat.
#ifndef PHALANX_CORE_BASE_INTERNER_H_
#define PHALANX_CORE_BASE_INTERNER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx {

template <class Id>
class Interner {
 public:
  // The id of `name`, a new one if it is not known.
  Id Intern(std::string_view name) {
    auto it = ids_.find(name);
    if (it != ids_.end()) return it->second;
    Id id(static_cast<uint32_t>(names_.size()));
    names_.emplace_back(name);
    ids_.emplace(std::string(name), id);
    return id;
  }
  // The id of `name`, or None.
  Id Find(std::string_view name) const {
    auto it = ids_.find(name);
    return it == ids_.end() ? Id::None() : it->second;
  }
  const std::string& Name(Id id) const { return names_[id.index()]; }
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, Id, std::less<>> ids_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_BASE_INTERNER_H_

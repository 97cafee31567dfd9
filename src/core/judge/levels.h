// In which domain of a level is a node? Read from the node labels and what objects declare, by the
// rules of docs/policies/placement.md, section "Levels".
#ifndef PHALANX_CORE_JUDGE_LEVELS_H_
#define PHALANX_CORE_JUDGE_LEVELS_H_

#include <optional>
#include <string>
#include <vector>

#include "phalanx/objects.h"

namespace phalanx::judge {

class Levels {
 public:
  Levels(const std::vector<NodeObject>& nodes, const std::vector<DeclaredTopology>& declared);

  // Coarse to fine.
  std::vector<std::string> Names() const;
  // Whether a level of this name, or read from this label, exists in the cluster.
  bool Known(const std::string& name_or_key) const { return Find(name_or_key).has_value(); }
  std::optional<std::string> NameOf(const std::string& name_or_key) const;
  // What each of its domains has been declared to carry; a level that is not there carries nothing.
  Uplink UplinkOf(const std::string& name_or_key) const;
  // The values of all levels down to the named one, without those that it crosses, which make the
  // identity of a domain; nullopt if the node has no domain of that level.
  std::optional<std::vector<std::string>> DomainOf(const NodeObject& node,
                                                   const std::string& name_or_key) const;

 private:
  struct Level {
    std::string name;
    std::string key;
    char reading = 'w';  // see levels.cc
    std::string crosses = {};
    Uplink uplink = {};
  };
  friend struct LevelTable;

  static std::string Read(const Level& level, const NodeObject& node);
  // Whether a domain of `level` may hold nodes of several domains of `above`.
  bool Crosses(size_t level, size_t above) const;
  std::optional<size_t> Find(const std::string& name_or_key) const;

  std::vector<Level> levels_;  // coarse to fine
};

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_LEVELS_H_

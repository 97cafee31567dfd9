// Which domain of a level is a node in, by the node's name.
#ifndef PHALANX_CORE_JUDGE_PLACES_H_
#define PHALANX_CORE_JUDGE_PLACES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/judge/levels.h"

namespace phalanx::judge {

class Places {
 public:
  using Domain = std::vector<std::string>;

  // The world outlives this.
  explicit Places(const World& world);
  // A node is a domain of the host level. nullopt: it is in no domain of the level, or is not
  // there.
  std::optional<Domain> DomainOf(const std::string& node, const std::string& level) const;
  std::vector<std::string> LevelNames() const { return levels_.Names(); }
  // The name of the level that is called so, or read from this label.
  std::optional<std::string> NameOf(const std::string& level) const {
    return levels_.NameOf(level);
  }
  Uplink UplinkOf(const std::string& level) const { return levels_.UplinkOf(level); }

 private:
  const Levels levels_;
  std::map<std::string, const NodeObject*> nodes_;
};

}  // namespace phalanx::judge

#endif  // PHALANX_CORE_JUDGE_PLACES_H_

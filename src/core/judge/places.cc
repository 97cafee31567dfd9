#include "core/judge/places.h"

namespace phalanx::judge {

Places::Places(const World& world) : levels_(world.nodes, world.topologies) {
  for (const NodeObject& node : world.nodes) nodes_.emplace(node.name, &node);
}

std::optional<Places::Domain> Places::DomainOf(const std::string& node,
                                               const std::string& level) const {
  if (level == "host" || level == "kubernetes.io/hostname") return Domain{node};
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return std::nullopt;
  return levels_.DomainOf(*found->second, level);
}

}  // namespace phalanx::judge

#include "core/cluster/shapes.h"

#include <algorithm>
#include <utility>

namespace phalanx {

ShapeId ShapeTable::Intern(Shape shape) {
  // The order in which an author wrote them means nothing.
  std::sort(shape.required_terms.begin(), shape.required_terms.end());
  std::sort(shape.tolerations.begin(), shape.tolerations.end());
  const auto [it, inserted] =
      ids_.emplace(std::move(shape), ShapeId(static_cast<uint32_t>(shapes_.size())));
  if (inserted) shapes_.push_back(it->first);
  return it->second;
}

}  // namespace phalanx

// Member shapes: hash-consed pairs of what a member consumes and where it may go.
//
// Members with the same ShapeId are interchangeable for the placement search.
#ifndef PHALANX_CORE_CLUSTER_SHAPES_H_
#define PHALANX_CORE_CLUSTER_SHAPES_H_

#include <deque>
#include <map>
#include <vector>

#include "core/cluster/resources.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"

namespace phalanx {

struct Shape {
  Resources request;
  LabelMap node_selector;
  std::vector<NodeSelectorTerm> required_terms;
  std::vector<Toleration> tolerations;
  // Where it may go beside its siblings: nothing that a node by itself shows.
  Segment segment;
  Spread spread;
  Traffic traffic;

  friend auto operator<=>(const Shape&, const Shape&) = default;
};

// Shapes are never dropped; references stay valid as the table grows.
class ShapeTable {
 public:
  // Equal up to the order of terms and tolerations is equal.
  ShapeId Intern(Shape shape);
  const Shape& Get(ShapeId id) const { return shapes_[id.index()]; }
  size_t size() const { return shapes_.size(); }

 private:
  std::map<Shape, ShapeId> ids_;
  std::deque<Shape> shapes_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_SHAPES_H_

#include "runtime/changes_cutter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace phalanx::runtime {
namespace {

// Where the piece begins and ends, counted over all fields.
struct Span {
  size_t begin;
  size_t end;
};

// Moves what of `from`, which begins at `offset`, lies in `span`; returns where `from` ends.
template <class T>
size_t MovePart(std::vector<T>& from, size_t offset, Span span, std::vector<T>& to) {
  size_t first = std::clamp(span.begin, offset, offset + from.size()) - offset;
  size_t last = std::clamp(span.end, offset, offset + from.size()) - offset;
  to.reserve(last - first);
  for (size_t i = first; i < last; ++i) to.push_back(std::move(from[i]));
  return offset + from.size();
}

}  // namespace

size_t ObjectsIn(const Changes& changes) {
  return changes.nodes.size() + changes.objects.size() + changes.pods.size() +
         changes.removed_nodes.size() + changes.removed_objects.size() +
         changes.removed_pods.size();
}

Changes ChangesCutter::Next() {
  Changes piece;
  Span span{given_, std::min(given_ + kPiece, ObjectsIn(whole_))};
  size_t offset = MovePart(whole_.removed_nodes, 0, span, piece.removed_nodes);
  offset = MovePart(whole_.nodes, offset, span, piece.nodes);
  offset = MovePart(whole_.removed_objects, offset, span, piece.removed_objects);
  offset = MovePart(whole_.objects, offset, span, piece.objects);
  offset = MovePart(whole_.removed_pods, offset, span, piece.removed_pods);
  MovePart(whole_.pods, offset, span, piece.pods);
  given_ = span.end;
  return piece;
}

}  // namespace phalanx::runtime

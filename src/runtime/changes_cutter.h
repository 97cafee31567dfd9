// Cuts one large message of changed objects into pieces, so that facts and queries get their turn
// in between. The pieces, applied one after the other, change what the whole would have changed.
//
// Threads: one caller.
#ifndef PHALANX_RUNTIME_CHANGES_CUTTER_H_
#define PHALANX_RUNTIME_CHANGES_CUTTER_H_

#include <cstddef>
#include <utility>

#include "phalanx/command.h"

namespace phalanx::runtime {

// Objects in a message, deletions included.
size_t ObjectsIn(const Changes& changes);

class ChangesCutter {
 public:
  // Objects in a piece, at most. Applying a piece keeps facts waiting for about a millisecond.
  static constexpr size_t kPiece = 256;

  explicit ChangesCutter(Changes whole) : whole_(std::move(whole)) {}

  // The next piece, in the order in which the fields are applied. REQUIRES: !done().
  Changes Next();
  bool done() const { return given_ == ObjectsIn(whole_); }

 private:
  Changes whole_;
  size_t given_ = 0;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_CHANGES_CUTTER_H_

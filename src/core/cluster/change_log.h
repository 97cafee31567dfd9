// Which nodes changed, in order, for readers that keep something derived from them.
//
// A reader remembers how far it has read. The log is bounded: a reader that is too far behind is
// told so, and derives everything anew.
//
//     log     n7 n2 n2 n9 | n4 n7         first = 1200 (older ones are dropped), end = 1206
//     reader              ^ read up to 1204: n4 and n7 are news
#ifndef PHALANX_CORE_CLUSTER_CHANGE_LOG_H_
#define PHALANX_CORE_CLUSTER_CHANGE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "phalanx/ids.h"

namespace phalanx {

class ChangeLog {
 public:
  static constexpr size_t kMost = size_t{1} << 16;

  // Usage of a node changed, or the node itself. Amortized O(1).
  void Note(NodeId node) {
    if (log_.size() == kMost) {
      log_.erase(log_.begin(), log_.begin() + kMost / 2);
      first_ += kMost / 2;
    }
    log_.push_back(node);
  }

  uint64_t end() const { return first_ + log_.size(); }
  // What came since a reader was at `read`; nullopt if that is no longer known. The span is valid
  // until the next Note().
  std::optional<std::span<const NodeId>> Since(uint64_t read) const {
    if (read < first_ || read > end()) return std::nullopt;
    return std::span(log_).subspan(static_cast<size_t>(read - first_));
  }

 private:
  uint64_t first_ = 0;
  std::vector<NodeId> log_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_CHANGE_LOG_H_

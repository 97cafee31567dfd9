// All pods of the cluster that matter: ours, and foreign ones that hold room.
//
// Looked up by UID through a hash map that is never iterated; kept in a dense table by PodId.
// Foreign and loose pods carry no more than the ledger needs, since there are 140,000 of them.
#ifndef PHALANX_CORE_ENGINE_PODS_H_
#define PHALANX_CORE_ENGINE_PODS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cluster/resources.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/outcome.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct Member;

// What was last published about a pod.
struct Published {
  AnswerKind kind = AnswerKind::kUnknown;
  NodeId node;
  uint64_t plan = 0;
  std::string reason;

  friend bool operator==(const Published&, const Published&) = default;
};

struct Pod {
  std::string uid;  // empty: this slot is free
  std::string ns;
  std::string name;
  bool ours = false;
  PodPhase phase = PodPhase::kPending;
  bool deleting = false;
  NodeId node;  // where it is bound
  Resources request;
  GangId gang;
  Member* member = nullptr;  // in the roster of `gang`
  uint64_t seen_epoch = 0;
  Published published;

  bool ended() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
};

class PodTable {
 public:
  PodId Find(std::string_view uid) const;
  // REQUIRES: the UID is not known.
  PodId Add(std::string_view uid);
  void Remove(PodId id);

  Pod& Get(PodId id) { return pods_[id.index()]; }
  const Pod& Get(PodId id) const { return pods_[id.index()]; }
  // Ids below this; free slots have an empty UID.
  uint32_t limit() const { return static_cast<uint32_t>(pods_.size()); }
  size_t size() const { return ids_.size(); }

 private:
  std::deque<Pod> pods_;
  std::vector<PodId> free_;
  std::unordered_map<std::string, PodId> ids_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_PODS_H_

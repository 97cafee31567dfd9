// The usage ledger: one entry per pod that takes room on a node, ours or foreign.
//
// Booking is idempotent per pod: booking a pod again replaces its entry. Sums per node are kept
// incrementally and equal a recomputation from the entries (CheckSums).
#ifndef PHALANX_CORE_CLUSTER_LEDGER_H_
#define PHALANX_CORE_CLUSTER_LEDGER_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/cluster/change_log.h"
#include "core/cluster/links.h"
#include "core/cluster/resources.h"
#include "core/cluster/shared_devices.h"
#include "phalanx/ids.h"

namespace phalanx {

enum class BookingKind { kBound, kHeld };

struct Booking {
  NodeId node;
  BookingKind kind = BookingKind::kBound;
  Resources amount;
  Talk talk = {};
};

class Ledger {
 public:
  void Book(PodId pod, NodeId node, BookingKind kind, const Resources& amount,
            const Talk& talk = {});
  // No-op if the pod has no entry.
  void Release(PodId pod);
  // With whom it talks from now on. No-op if the pod has no entry.
  void SetTalk(PodId pod, const Talk& talk);
  std::optional<Booking> Find(PodId pod) const;

  const Resources& bound(NodeId node) const;
  const Resources& held(NodeId node) const;
  // bound + held of one resource, and the devices of it that pods share.
  int64_t Used(NodeId node, ResourceId resource) const;
  const SharedDevices& shared() const { return shared_; }
  const LinkUsage& links() const { return links_; }
  // Who has a part of which device, as it was before some bookings were taken out and put back:
  // each by itself would go where there is least left now. REQUIRES: the same bookings as then.
  void PutShared(SharedDevices shared) { shared_ = std::move(shared); }
  size_t size() const { return entries_.size(); }
  const std::map<PodId, Booking>& entries() const { return entries_; }

  // Nodes whose usage changed. The cluster notes here also what else changed about a node, so that
  // readers have one log to follow.
  ChangeLog& changes() { return changes_; }
  const ChangeLog& changes() const { return changes_; }

  // True if the sums equal a recomputation. O(entries).
  bool CheckSums() const;

 private:
  struct Sums {
    Resources bound;
    Resources held;
  };
  Sums& SumsOf(NodeId node);
  // The entry and its part of the sums; the pod keeps its shared device.
  void Drop(PodId pod);
  std::map<PodId, Booking> entries_;
  std::vector<Sums> sums_;  // by node
  SharedDevices shared_;
  LinkUsage links_;
  ChangeLog changes_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_LEDGER_H_

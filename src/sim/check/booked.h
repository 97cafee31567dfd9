// What the brain was told and what it did, as the conversation with the adapter says: nodes,
// objects and pods, members that it admitted, and facts. Kept apart from the engine, from messages
// alone, so that the engine's own books can be compared with it.
#ifndef PHALANX_SIM_CHECK_BOOKED_H_
#define PHALANX_SIM_CHECK_BOOKED_H_

#include <map>
#include <set>
#include <string>

#include "phalanx/command.h"
#include "phalanx/outcome.h"

namespace phalanx::sim {

class Booked {
 public:
  struct Pod {
    PodObject object;
    uint64_t epoch = 0;     // in which it was last told of
    std::string node;       // bound there; empty: unbound
    uint64_t plan = 0;      // holds room under it; 0: holds none
    std::string held_node;  // where
    bool ended = false;
  };

  void Follow(const Command& command);
  void Follow(const Outcome& outcome);
  // The brain forgot everything.
  void Clear();

  const std::map<std::string, Pod>& pods() const { return pods_; }  // by UID
  const std::map<std::string, NodeObject>& nodes() const { return nodes_; }
  const std::map<ObjectKey, ApiObject>& objects() const { return objects_; }
  const Pod* Find(const std::string& uid) const;
  bool synced() const { return synced_; }
  bool leading() const { return leading_; }

  // Sums by node.
  std::map<std::string, QuantityMap> Bound() const;
  std::map<std::string, QuantityMap> Held() const;

 private:
  void On(const Connect& connect);
  void On(const Disconnect& disconnect);
  void On(const Changes& changes);
  void On(const SyncDone& done);
  void On(const MemberFact& fact);
  void On(const Leadership& leadership) { leading_ = leadership.leading; }
  template <class Other>
  void On(const Other& /*command*/) {}
  void Take(const PodObject& object);

  std::map<std::string, Pod> pods_;
  std::map<std::string, NodeObject> nodes_;
  std::map<ObjectKey, ApiObject> objects_;
  std::set<std::string> unseen_nodes_;  // in this epoch, before its SyncDone
  std::set<ObjectKey> unseen_objects_;
  std::map<std::string, MemberFact> in_flight_;  // BINDING facts of a snapshot, by UID
  uint64_t epoch_ = 0;
  bool synced_ = false;
  bool leading_ = false;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECK_BOOKED_H_

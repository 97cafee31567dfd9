// What users are told through the API server, and what of it is still to be written.
//
// All writes draw on one budget. They go out in this order, each lane by the time it is due:
//
//   changes    Gang objects that say something that is not true any more: a state, or a reason
//   news       objects that are not there yet or are to go, members that are to be told, events
//   refreshes  objects whose numbers or position changed
//
// What is queued is only *that* something is to be written; what it says is looked up when its turn
// comes, so that a gang that changed ten times meanwhile is written once. One write of an object is
// under way at a time, and not more than kMostInFlight in all, so that an API server that hangs
// gets no more of them.
//
// The board keeps the books; show.h and tell.h decide what is written.
#ifndef PHALANX_CORE_ENGINE_BOARD_H_
#define PHALANX_CORE_ENGINE_BOARD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/engine/write_budget.h"
#include "core/order/waiting_queue.h"
#include "phalanx/gang_report.h"
#include "phalanx/objects.h"
#include "phalanx/outcome.h"
#include "phalanx/time.h"

namespace phalanx {

enum class Urgency { kChange, kNew, kRefresh };
inline constexpr size_t kUrgencies = 3;

// Place in a lane; no two are equal.
struct Slot {
  Time due;
  uint64_t order = 0;

  friend auto operator<=>(const Slot&, const Slot&) = default;
};

// What makes an object untrue when it changes.
struct Headline {
  GangState state = GangState::kWaiting;
  ReasonCode code = ReasonCode::kNone;

  friend bool operator==(const Headline&, const Headline&) = default;
};

// What a status said: enough to know whether another one would say the same.
struct Saying {
  uint64_t print = 0;  // hash of all of it; 0: nothing, or nobody knows
  Headline headline;
  int32_t position = 0;
};

// A condition that holds or not, and since when.
struct Truth {
  bool holds = false;
  Time since = Time::Never();  // Never: not looked at yet
};

enum class WriteKind { kMake, kShow, kDrop };

// The Gang object of a gang: what is there, and what is under way.
struct Shown {
  bool made = false;    // the object is there, as far as is known
  uint64_t owners = 0;  // hash of the owners that it was made with
  Saying said;          // by the last status that was written
  Time written{0};      // when
  Time not_before{0};   // nothing is written earlier: a gang of one, or after a failure
  int32_t failures = 0;

  // The write under way; 0: none.
  uint64_t in_flight = 0;
  WriteKind flying = WriteKind::kMake;
  Saying saying;
  uint64_t making = 0;
  bool again = false;  // something changed meanwhile

  Truth complete, ready, finished;

  // Of a gang that is forgotten: what its object says until it goes.
  std::unique_ptr<const GangReport> last;
  Time drop_at = Time::Never();

  // Where it is queued.
  std::optional<std::pair<Urgency, Slot>> queued;
};

// What is to be written next.
struct Item {
  enum class Kind { kObject, kMembers, kEvent };
  Kind kind = Kind::kObject;
  GangKey gang;
  PodEvent event;
};

class Board {
 public:
  static constexpr size_t kMostInFlight = 16;
  // Events that wait; more are dropped.
  static constexpr size_t kMostEvents = 1000;

  explicit Board(int64_t writes_per_second) : budget(writes_per_second) {}

  WriteBudget budget;

  // --- objects
  Shown* Find(const GangKey& key);
  Shown& Add(const GangKey& key) { return shown_[key]; }
  // REQUIRES: nothing of it is under way.
  void Erase(const GangKey& key);
  const std::map<GangKey, Shown>& shown() const { return shown_; }

  // Queues the object, or moves it up: never to a later place.
  void Queue(const GangKey& key, Shown& shown, Urgency urgency, Time due);
  // A write was sent; its result comes under this number.
  void TakeOff(const GangKey& key, Shown& shown, uint64_t sequence);
  // The object whose write had this number, which is under way no more; nullptr if there is none.
  std::pair<const GangKey, Shown>* Land(uint64_t sequence);
  // A new epoch: nobody will tell how the writes under way ended.
  void ForgetFlights();

  // --- members and events
  // The gang's members are to be told; no-op if that is queued.
  void QueueMembers(const GangKey& key, Time due);
  void QueueEvent(PodEvent event, Time due);

  // --- the API server does not know the kind: one object is tried when the time has come
  void PauseObjects(Time until);
  void ResumeObjects() { probing_ = false; }
  bool kind_missing() const { return probing_; }

  // --- positions: what is written about gangs behind `key` may be out of date
  void NotePositions(const OrderKey& key, Time now);
  struct Sweep {
    std::optional<OrderKey> after;  // absent: from the front
    std::optional<OrderKey> next;   // another one is due from here
    Time due = Time::Never();       // Never: there is none
  };
  Sweep sweep;

  // Takes out what is to be written next, if it is due by `now`.
  std::optional<Item> Take(Time now);
  // When something can be taken; Never if nothing is queued or results are waited for.
  Time Next() const;
  bool HasRefreshes() const { return !lanes_[static_cast<size_t>(Urgency::kRefresh)].empty(); }
  // Everything that waits to be written.
  size_t waiting() const;

  // Hash of everything that decides what is written.
  uint64_t Digest() const;
  // For the invariants.
  using Lane = std::map<Slot, GangKey>;
  const std::array<Lane, kUrgencies>& lanes() const { return lanes_; }
  const Lane& members() const { return members_; }
  const std::map<Slot, PodEvent>& events() const { return events_; }
  const std::map<uint64_t, GangKey>& flights() const { return flights_; }

 private:
  Slot NewSlot(Time due) { return {due, ++order_}; }
  bool ObjectsWait() const { return flights_.size() >= (probing_ ? 1 : kMostInFlight); }
  bool MayTakeObjects(Time now) const { return !ObjectsWait() && objects_from_ <= now; }
  Item TakeObject(Urgency urgency);
  std::optional<Item> TakeNews(Time now);

  std::map<GangKey, Shown> shown_;
  std::map<uint64_t, GangKey> flights_;
  std::array<Lane, kUrgencies> lanes_;
  Lane members_;
  std::map<GangKey, Slot> told_next_;  // where a gang is in members_
  std::map<Slot, PodEvent> events_;
  uint64_t order_ = 0;
  Time objects_from_{0};
  bool probing_ = false;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_BOARD_H_

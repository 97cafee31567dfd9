// The bounded mailbox in front of the engine thread.
//
// Lanes, taken in this order:
//   control  Connect and Disconnect: never refused (a session posts one of each)
//   fact     what members did: small, and the barriers wait for it
//   bulk     changes of objects, weighed by how many objects they carry; a large message is taken
//            in pieces, so that facts are taken in between
// Within a lane the order of posting holds. Queries have a lane of their own, beside these.
//
// Thread rule: any thread posts; the engine thread alone takes and waits.
#ifndef PHALANX_RUNTIME_MAILBOX_H_
#define PHALANX_RUNTIME_MAILBOX_H_

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/command.h"
#include "phalanx/engine.h"
#include "phalanx/outcome.h"
#include "runtime/changes_cutter.h"

namespace phalanx::runtime {

using CommandBody = decltype(Command::body);
using SteadyTime = std::chrono::steady_clock::time_point;

// Takes the directives of one session, on the engine thread, in order. Must not block.
class DirectiveSink {
 public:
  virtual ~DirectiveSink() = default;
  virtual void Deliver(std::vector<Directive> directives) = 0;
};

enum class Lane { kControl, kFact, kBulk };
inline constexpr size_t kLanes = 3;
const char* Name(Lane lane);

struct Envelope {
  uint64_t epoch = 0;
  CommandBody body;
  std::shared_ptr<DirectiveSink> sink;  // with Connect
  SteadyTime posted;
};

using QueryFunction = std::function<void(Engine&)>;

class Mailbox {
 public:
  // Capacities in facts, objects and queries.
  Mailbox(size_t fact_capacity, size_t bulk_capacity, size_t query_capacity);

  // False, and `envelope` untouched, if the lane is full. A lane takes one more message while it is
  // below its capacity, however heavy that message is.
  bool Post(Lane lane, Envelope& envelope);
  bool PostQuery(QueryFunction query);
  // Calls `room` once, from the engine thread, when the lane has fallen to half its capacity; at
  // once, from here, if it is there already.
  void WhenRoom(Lane lane, std::function<void()> room);

  struct Taken {
    Lane lane;
    Envelope envelope;
  };
  // The next one; bulk only if `bulk_too`, and of a message with many changes one piece. Runs the
  // callbacks of WhenRoom that are due.
  std::optional<Taken> Take(bool bulk_too);
  std::vector<QueryFunction> TakeQueries();
  // Until something is there, Wake() was called, or `until`.
  void Wait(SteadyTime until);
  void Wake();

  struct LaneStats {
    size_t depth = 0;     // messages, one that is taken in pieces included
    size_t weight = 0;    // in units of the capacity
    size_t capacity = 0;  // 0: no bound
    int64_t refused = 0;
  };
  LaneStats Stats(Lane lane) const;

 private:
  using Callbacks = std::vector<std::function<void()>>;
  struct LaneState {
    std::deque<Envelope> queue;
    size_t weight = 0;
    size_t capacity = 0;
    int64_t refused = 0;
    Callbacks waiters;
  };
  // What is taken in pieces: the message without its changes, and those.
  struct Cutting {
    Envelope envelope;
    ChangesCutter cutter;
  };
  LaneState& state(Lane lane) { return lanes_[static_cast<size_t>(lane)]; }
  static bool HasRoom(const LaneState& lane) { return lane.weight * 2 <= lane.capacity; }
  std::optional<Taken> Pop(bool bulk_too);
  Taken TakePiece();
  // The weight has left the lane; returns the callbacks that are due. REQUIRES: the lock is held.
  static Callbacks Relieve(LaneState& lane, size_t weight);

  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::array<LaneState, kLanes> lanes_;
  std::deque<QueryFunction> queries_;
  size_t query_capacity_;
  bool woken_ = false;
  bool is_cutting_ = false;  // cutting_ has a value; for other threads

  std::optional<Cutting> cutting_;  // of the engine thread alone
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_MAILBOX_H_

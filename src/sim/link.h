// The stream between adapter and brain, with what can happen to messages on the way.
//
//   adapter ── changes, leadership ────────► brain    late: in order
//   adapter ── facts, conflicts, results ──► brain    late: in any order, since calls overtake
//   adapter ◄────────────── directives ───── brain    late: in order
//
// Each may come twice. As in production every message belongs to the stream that it was sent in:
// when that ends, what is on the way arrives in a stream that is no longer current, and is dropped
// there. A message that is lost takes its stream with it.
#ifndef PHALANX_SIM_LINK_H_
#define PHALANX_SIM_LINK_H_

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "phalanx/command.h"
#include "phalanx/outcome.h"
#include "sim/brain.h"
#include "sim/event_queue.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Link {
 public:
  struct Counts {
    int64_t dropped = 0;  // sent in a stream that had ended
    int64_t late = 0;
    int64_t twice = 0;
    int64_t lost = 0;  // calls, or messages with their stream
  };

  Link(EventQueue& queue, Brain& brain, const Settings& settings, uint64_t seed)
      : queue_(queue), brain_(brain), settings_(settings), random_(seed) {}

  // Set once. `carry` takes directives of the current stream; `broken`: a message was lost.
  void OnDirective(std::function<void(const Directive&)> carry) { carry_ = std::move(carry); }
  void OnBroken(std::function<void()> broken) { broken_ = std::move(broken); }

  // A stream begins, or ends: what is on the way in it is void. Without one nothing is sent.
  void Open() { Switch(true); }
  void Close() { Switch(false); }
  // Facts that are sent from here on come after what was sent in order before.
  void EndSnapshot() { snapshot_end_ = last_up_; }

  // In an event of its own: the brain may be at work on the command that led to the message.
  template <class Body>
  void Up(const Body& body) {
    if (Lost()) return;
    for (int64_t copies = Copies(); copies > 0; --copies) {
      Later(std::max(snapshot_end_, queue_.now() + Delay()), body);
    }
  }

  // At once, if nothing delays it.
  template <class Body>
  void UpInOrder(const Body& body) {
    if (Lost()) return;
    for (int64_t copies = Copies(); copies > 0; --copies) {
      const Time due = queue_.now() + Delay();
      if (due == queue_.now() && last_up_ <= due) {
        brain_.Send(body);
        continue;
      }
      last_up_ = std::max(last_up_, due);
      Later(last_up_, body);
    }
  }

  // Whether a call about a pod remains without an answer.
  bool LosesCall();
  void Down(const Directive& directive);

  const Counts& counts() const { return counts_; }

 private:
  template <class Body>
  void Later(Time when, const Body& body) {
    queue_.At(when, [this, stream = stream_, body] {
      if (stream == stream_) {
        brain_.Send(body);
      } else if (TakesOld()) {
        brain_.Mislead(body);
      }
    });
  }
  void Switch(bool open) {
    ++stream_;
    open_ = open;
  }
  bool Draw(int64_t percent);
  bool Lost();
  int64_t Copies();
  Duration Delay();
  // Of streams that have ended; counted.
  bool TakesOld();

  EventQueue& queue_;
  Brain& brain_;
  const Settings& settings_;
  std::function<void(const Directive&)> carry_;
  std::function<void()> broken_;
  std::mt19937_64 random_;
  uint64_t stream_ = 0;
  bool open_ = false;
  Time last_up_;
  Time last_down_;
  Time snapshot_end_;
  Counts counts_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_LINK_H_

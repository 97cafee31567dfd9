// A copy of a part of the engine's state, made when somebody asks and shared by all who ask until
// it is out of date: many readers cost the engine thread one copy.
//
// A copy is out of date when a command was applied since, or after a second, since reasons tell the
// time that is left. The next one is not made before kShare times as long as the last one took has
// passed: with a copy that takes 50 ms answers are up to 1 s old, and 95 % of the engine's time is
// its own. Each copy says from when it is.
//
// Threads: any.
#ifndef PHALANX_RUNTIME_PUBLISHED_H_
#define PHALANX_RUNTIME_PUBLISHED_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "phalanx/engine.h"
#include "runtime/brain.h"

namespace phalanx::runtime {

template <class T>
class Published {
 public:
  static constexpr int kShare = 20;
  static constexpr std::chrono::seconds kLongestAge{1};

  struct Copy {
    Stamp stamp;
    T value;
  };
  struct Result {
    std::shared_ptr<const Copy> copy;  // nullptr: see error
    QueryError error = QueryError::kNone;
  };

  // `look` runs on the engine thread, between two commands. `brain` outlives this.
  Published(Brain& brain, std::function<T(const Engine&)> look)
      : brain_(brain), look_(std::move(look)) {}

  // The newest copy; an older one if the engine thread does not make another within `timeout`.
  // While one thread waits for it, the others take what is there.
  Result Get(std::chrono::milliseconds timeout) {
    std::unique_lock making(making_, std::try_to_lock);
    if (!making.owns_lock()) {
      if (std::shared_ptr<const Copy> last = Last()) return {std::move(last)};
      making.lock();
    }
    std::shared_ptr<const Copy> last = Last();
    const Instant now = Steady::now();
    const bool fresh = last && last->stamp.commands == brain_.metrics().commands.load() &&
                       now - made_ < kLongestAge;
    if (last && (fresh || now < next_)) return {std::move(last)};
    return Make(std::move(last), timeout);
  }

 private:
  using Steady = std::chrono::steady_clock;
  using Instant = Steady::time_point;
  struct Made {
    std::shared_ptr<const Copy> copy;
    Steady::duration took{};
  };

  Result Make(std::shared_ptr<const Copy> last, std::chrono::milliseconds timeout) {
    // A query that is given up may run while it is given up: it holds nothing of this object but
    // what it copied.
    QueryResult<Made> made = brain_.Query(
        [&brain = brain_, look = look_](const Engine& engine) {
          const Instant start = Steady::now();
          Made out;
          out.copy = std::make_shared<const Copy>(Copy{brain.StampNow(), look(engine)});
          out.took = Steady::now() - start;
          return out;
        },
        timeout);
    if (made.error != QueryError::kNone) return {std::move(last), made.error};
    made_ = Steady::now();
    next_ = made_ + kShare * made.value->took;
    std::lock_guard lock(mutex_);
    last_ = made.value->copy;
    return {last_};
  }
  std::shared_ptr<const Copy> Last() const {
    std::lock_guard lock(mutex_);
    return last_;
  }

  Brain& brain_;
  const std::function<T(const Engine&)> look_;
  std::mutex making_;  // of made_ and next_
  Instant made_;
  Instant next_;
  mutable std::mutex mutex_;  // of last_
  std::shared_ptr<const Copy> last_;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_PUBLISHED_H_

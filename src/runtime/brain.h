// The engine with its thread: commands in through a bounded mailbox, directives out to the current
// session, answers and numbers published for everyone else.
//
// One thread applies commands, plans in slices between them, and ticks. Promises:
//   1. Answers of a command are published before its directives are delivered.
//   2. Directives go to the sink of the session whose Connect was applied last, in order, and to no
//      sink after its Disconnect.
//   3. What was posted under an epoch that is no longer live is dropped and counted.
//   4. While planning goes on, facts wait for one slice at most; while many objects change, for one
//      piece of ChangesCutter::kPiece of them.
//
// When it is idle, the thread compares derived state with a recomputation now and then
// (InvariantSampler). A PHALANX_CHECK that breaks on it tells the number of the command.
//
// Facts overtake changes of objects once the snapshot is applied: they name a plan, so their pods
// are known. Before that everything of a session is taken in the order of posting.
//
// Threads: all members may be called from any thread, but Start() and Stop() from one.
#ifndef PHALANX_RUNTIME_BRAIN_H_
#define PHALANX_RUNTIME_BRAIN_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "phalanx/engine.h"
#include "runtime/answer_table.h"
#include "runtime/clock.h"
#include "runtime/histogram.h"
#include "runtime/invariant_sampler.h"
#include "runtime/mailbox.h"

namespace phalanx::runtime {

struct BrainOptions {
  EngineConfig engine;
  size_t fact_capacity = 65'536;
  size_t bulk_capacity = 16'384;  // objects
  size_t query_capacity = 64;
  int64_t slice_work_units = 20'000;
  // Of InvariantSampler; pods are those with a published answer.
  std::chrono::milliseconds invariant_period{10'000};
  size_t invariant_pods = 20'000;
  std::function<std::vector<std::string>(const Engine&)> find_violations =
      [](const Engine& engine) { return engine.CheckInvariants(); };
  // What was found, and after how many commands; on the engine thread. May be empty.
  std::function<void(const std::vector<std::string>&, int64_t commands)> on_violations;
};

enum class QueryError { kNone, kBusy, kTimeout, kStopped };

template <class T>
struct QueryResult {
  std::optional<T> value;
  QueryError error = QueryError::kNone;
};

// From when a copy of the engine's state is.
struct Stamp {
  uint64_t epoch = 0;
  bool synced = false;
  int64_t commands = 0;  // applied so far
  Time as_of;
};

// Numbers of the runtime itself. Histograms are in microseconds.
struct BrainMetrics {
  Histogram apply;         // one command, planning slices excluded
  Histogram plan_slice;    // one planning slice
  Histogram mailbox_wait;  // from posting to application
  Histogram gang_waiting;  // in milliseconds: from first seen to started
  Histogram check;         // one sampled check of the invariants
  std::atomic<int64_t> commands{0};
  std::atomic<int64_t> dropped_stale{0};
  std::atomic<int64_t> violations{0};  // broken invariants that checks have found
  BrainMetrics();
};

class Brain {
 public:
  explicit Brain(BrainOptions options, Clock clock = Clock());
  ~Brain();  // stops
  Brain(const Brain&) = delete;
  Brain& operator=(const Brain&) = delete;

  void Start();
  // Applies nothing more; queries that wait fail with kStopped. Idempotent.
  void Stop();

  // --- The session of an adapter ---
  // From here on `epoch` is current; calls under another one are to be refused.
  // REQUIRES: epoch is greater than every earlier one.
  void Connect(uint64_t epoch, std::string adapter_id, std::shared_ptr<DirectiveSink> sink);
  // No-op if another epoch is current.
  void Disconnect(uint64_t epoch);
  // False if there is no room; `body` is then untouched.
  bool Post(uint64_t epoch, CommandBody& body);
  // Calls `room` once, from the engine thread or from here, when the lane of `body` has room again.
  void WhenRoom(const CommandBody& body, std::function<void()> room);

  // --- Calls ---
  uint64_t epoch() const { return current_epoch_.load(); }  // 0: no adapter
  // The snapshot of the current epoch is applied.
  bool synced() const {
    uint64_t synced = synced_epoch_.load();
    return synced != 0 && synced == current_epoch_.load();
  }
  std::optional<PodAnswer> Answer(uint64_t epoch, const std::string& pod_uid) const {
    return answers_.Find(epoch, pod_uid);
  }

  // --- Looking ---
  // Runs `look` on the engine thread between two commands. When `timeout` passes first, it is not
  // run any more. Copyable results only.
  template <class Look>
  auto Query(Look look, std::chrono::milliseconds timeout)
      -> QueryResult<std::invoke_result_t<Look, const Engine&>>;
  // REQUIRES: the engine thread, that is inside of a query.
  Stamp StampNow();
  // The engine's numbers: fresh, or the last ones known if the engine thread is busy for longer
  // than `timeout`.
  std::shared_ptr<const StatsView> Stats(std::chrono::milliseconds timeout);
  const BrainMetrics& metrics() const { return metrics_; }
  Mailbox::LaneStats mailbox(Lane lane) const { return mailbox_.Stats(lane); }
  size_t answer_count() const { return answers_.size(); }
  // How long ago the engine thread last came around its loop, which it does at least once a second
  // unless a command, a slice or a query keeps it.
  std::chrono::milliseconds SinceProgress() const;

 private:
  void Run();
  bool ApplyMail();
  bool RunQueries();
  bool TickIfDue();
  bool PlanIfNeeded();
  void WaitForWork();
  void ApplyEnvelope(Envelope envelope);
  void Apply(CommandBody body);
  void PublishStats();
  void SampleInvariants();
  std::string Position() const;
  Lane LaneOf(const CommandBody& body) const;

  const BrainOptions options_;
  Clock clock_;
  Mailbox mailbox_;
  AnswerTable answers_;
  BrainMetrics metrics_;

  std::mutex session_mutex_;  // orders Connect and Disconnect
  std::atomic<uint64_t> current_epoch_{0};
  std::atomic<uint64_t> synced_epoch_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> progress_us_{0};

  mutable std::mutex stats_mutex_;
  std::shared_ptr<const StatsView> stats_;

  // Of the engine thread alone.
  Engine engine_;
  uint64_t live_epoch_ = 0;
  std::shared_ptr<DirectiveSink> sink_;
  SteadyTime stats_taken_;
  InvariantSampler sampler_;
  const char* applying_ = nullptr;  // kind of the command that is being applied

  std::thread thread_;
};

template <class Look>
auto Brain::Query(Look look, std::chrono::milliseconds timeout)
    -> QueryResult<std::invoke_result_t<Look, const Engine&>> {
  using T = std::invoke_result_t<Look, const Engine&>;
  if (stopping_) return {std::nullopt, QueryError::kStopped};
  auto promise = std::make_shared<std::promise<T>>();
  auto abandoned = std::make_shared<std::atomic<bool>>(false);
  std::future<T> future = promise->get_future();
  // The queue alone keeps the promise: when it throws the query away, the future hears of it.
  bool posted = mailbox_.PostQuery(
      [promise = std::move(promise), abandoned, look = std::move(look)](Engine& engine) {
        if (!*abandoned) promise->set_value(look(std::as_const(engine)));
      });
  if (!posted) return {std::nullopt, QueryError::kBusy};
  if (future.wait_for(timeout) != std::future_status::ready) {
    *abandoned = true;
    return {std::nullopt, QueryError::kTimeout};
  }
  try {
    return {future.get(), QueryError::kNone};
  } catch (const std::future_error&) {
    return {std::nullopt, QueryError::kStopped};  // the query was thrown away unanswered
  }
}

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_BRAIN_H_

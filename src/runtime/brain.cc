#include "runtime/brain.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <variant>

#include "core/base/check_context.h"

namespace phalanx::runtime {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How many messages are taken before queries, ticks and planning have their turn.
constexpr int kFactsPerRound = 256;
constexpr int kBulkPerRound = 8;
constexpr milliseconds kLongestWait{1000};
constexpr milliseconds kStatsPeriod{5000};

int64_t NowMicros() {
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

int64_t MicrosSince(SteadyTime start) {
  return duration_cast<microseconds>(steady_clock::now() - start).count();
}

// 10 us to 10 s.
std::vector<int64_t> LatencyBounds() {
  return {10,     25,     50,     100,     250,     500,     1'000,     2'500,     5'000,
          10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};
}

// 100 ms to 30 days.
std::vector<int64_t> WaitingBounds() {
  return {100,        500,         1'000,       5'000,         10'000,       30'000,
          60'000,     300'000,     900'000,     3'600'000,     14'400'000,   43'200'000,
          86'400'000, 259'200'000, 604'800'000, 1'209'600'000, 2'592'000'000};
}

const char* KindOf(const CommandBody& body) {
  static constexpr const char* kNames[] = {
      "Connect",  "Disconnect",      "Changes",    "SyncDone", "MemberFact",
      "Conflict", "DirectiveResult", "Leadership", "Tick",     "PlanSlice"};
  static_assert(std::size(kNames) == std::variant_size_v<CommandBody>);
  return kNames[body.index()];
}

}  // namespace

BrainMetrics::BrainMetrics()
    : apply(LatencyBounds()),
      plan_slice(LatencyBounds()),
      mailbox_wait(LatencyBounds()),
      gang_waiting(WaitingBounds()),
      check(LatencyBounds()) {}

Brain::Brain(BrainOptions options, Clock clock)
    : options_(std::move(options)),
      clock_(std::move(clock)),
      mailbox_(options_.fact_capacity, options_.bulk_capacity, options_.query_capacity),
      progress_us_(NowMicros()),
      stats_(std::make_shared<StatsView>()),
      engine_(options_.engine),
      sampler_(options_.invariant_period, options_.invariant_pods) {}

Brain::~Brain() { Stop(); }

void Brain::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Brain::Stop() {
  stopping_ = true;
  mailbox_.Wake();
  if (thread_.joinable()) thread_.join();
  mailbox_.TakeQueries();  // breaks their promises
}

void Brain::Connect(uint64_t epoch, std::string adapter_id, std::shared_ptr<DirectiveSink> sink) {
  std::lock_guard lock(session_mutex_);
  current_epoch_ = epoch;
  Envelope envelope{epoch, phalanx::Connect{epoch, std::move(adapter_id)}, std::move(sink), {}};
  mailbox_.Post(Lane::kControl, envelope);
}

void Brain::Disconnect(uint64_t epoch) {
  std::lock_guard lock(session_mutex_);
  if (epoch == 0 || current_epoch_ != epoch) return;
  current_epoch_ = 0;
  Envelope envelope{epoch, phalanx::Disconnect{}, nullptr, {}};
  mailbox_.Post(Lane::kControl, envelope);
}

bool Brain::Post(uint64_t epoch, CommandBody& body) {
  Lane lane = LaneOf(body);
  Envelope envelope{epoch, std::move(body), nullptr, {}};
  if (mailbox_.Post(lane, envelope)) return true;
  body = std::move(envelope.body);
  return false;
}

void Brain::WhenRoom(const CommandBody& body, std::function<void()> room) {
  mailbox_.WhenRoom(LaneOf(body), std::move(room));
}

Lane Brain::LaneOf(const CommandBody& body) const {
  bool fact = std::holds_alternative<MemberFact>(body) || std::holds_alternative<Conflict>(body) ||
              std::holds_alternative<DirectiveResult>(body);
  return fact && synced() ? Lane::kFact : Lane::kBulk;
}

Stamp Brain::StampNow() {
  return {engine_.epoch(), engine_.synced(), metrics_.commands.load(), clock_.Now()};
}

std::shared_ptr<const StatsView> Brain::Stats(milliseconds timeout) {
  Query(
      [this](const Engine&) {
        PublishStats();
        return true;
      },
      timeout);
  std::lock_guard lock(stats_mutex_);
  return stats_;
}

milliseconds Brain::SinceProgress() const {
  return milliseconds(std::max<int64_t>(0, NowMicros() - progress_us_.load()) / 1000);
}

void Brain::Run() {
  pthread_setname_np(pthread_self(), "engine");  // for top, perf and whoever wants it less urgent
  CheckPosition position([this] { return Position(); });
  while (!stopping_) {
    bool worked = ApplyMail();
    worked |= RunQueries();
    worked |= TickIfDue();
    worked |= PlanIfNeeded();
    if (steady_clock::now() - stats_taken_ > kStatsPeriod) PublishStats();
    progress_us_ = NowMicros();
    if (worked) continue;
    SampleInvariants();
    WaitForWork();
  }
}

bool Brain::ApplyMail() {
  int bulk_left = kBulkPerRound;
  for (int taken = 0; taken < kFactsPerRound && !stopping_; ++taken) {
    std::optional<Mailbox::Taken> next = mailbox_.Take(bulk_left > 0);
    if (!next) return taken > 0;
    if (next->lane == Lane::kBulk) --bulk_left;
    ApplyEnvelope(std::move(next->envelope));
  }
  return true;
}

bool Brain::RunQueries() {
  std::vector<QueryFunction> queries = mailbox_.TakeQueries();
  for (QueryFunction& query : queries) query(engine_);
  return !queries.empty();
}

bool Brain::TickIfDue() {
  Time due = engine_.NextDeadline();
  if (due > clock_.Now()) return false;
  Apply(Tick{});
  // A deadline that a tick does not move must not keep the thread spinning.
  return engine_.NextDeadline() != due;
}

bool Brain::PlanIfNeeded() {
  if (!engine_.HasPlanningWork()) return false;
  Apply(PlanSlice{options_.slice_work_units});
  return true;
}

void Brain::WaitForWork() {
  milliseconds wait = kLongestWait;
  Time due = engine_.NextDeadline();
  if (due != Time::Never()) {
    wait = std::clamp(milliseconds((due - clock_.Now()).ms), milliseconds(1), kLongestWait);
  }
  mailbox_.Wait(steady_clock::now() + wait);
}

void Brain::ApplyEnvelope(Envelope envelope) {
  bool connects = std::holds_alternative<phalanx::Connect>(envelope.body);
  if (!connects && envelope.epoch != live_epoch_) {
    ++metrics_.dropped_stale;
    return;
  }
  metrics_.mailbox_wait.Add(MicrosSince(envelope.posted));
  bool disconnects = std::holds_alternative<phalanx::Disconnect>(envelope.body);
  if (connects || disconnects) {
    live_epoch_ = connects ? envelope.epoch : 0;
    sink_ = std::move(envelope.sink);
    // Nobody reads under the new epoch before the plans of the old one are taken back.
    answers_.SetEpoch(0);
  }
  Apply(std::move(envelope.body));
  if (connects) answers_.SetEpoch(live_epoch_);
}

void Brain::Apply(CommandBody body) {
  bool plans = std::holds_alternative<PlanSlice>(body);
  applying_ = KindOf(body);
  SteadyTime start = steady_clock::now();
  Outcome outcome = engine_.Apply({clock_.Now(), std::move(body)});
  (plans ? metrics_.plan_slice : metrics_.apply).Add(MicrosSince(start));
  ++metrics_.commands;
  applying_ = nullptr;
  answers_.Publish(outcome.answers);
  synced_epoch_ = engine_.synced() ? live_epoch_ : 0;
  if (sink_ && !outcome.directives.empty()) sink_->Deliver(std::move(outcome.directives));
}

std::string Brain::Position() const {
  int64_t applied = metrics_.commands.load();
  if (!applying_) return fmt::format("after command {} of epoch {}", applied, live_epoch_);
  return fmt::format("command {} ({}) of epoch {}", applied + 1, applying_, live_epoch_);
}

void Brain::SampleInvariants() {
  SteadyTime start = steady_clock::now();
  if (stopping_ || !sampler_.Due(start, answers_.size())) return;
  std::vector<std::string> found = options_.find_violations(engine_);
  sampler_.Done(start, steady_clock::now());
  metrics_.check.Add(MicrosSince(start));
  metrics_.violations += static_cast<int64_t>(found.size());
  if (!found.empty() && options_.on_violations) options_.on_violations(found, metrics_.commands);
}

void Brain::PublishStats() {
  stats_taken_ = steady_clock::now();
  auto stats = std::make_shared<StatsView>(engine_.TakeStats());
  for (int64_t ms : stats->waited_ms) metrics_.gang_waiting.Add(ms);
  stats->waited_ms.clear();
  std::lock_guard lock(stats_mutex_);
  stats_ = std::move(stats);
}

}  // namespace phalanx::runtime

#include "runtime/mailbox.h"

#include <utility>

namespace phalanx::runtime {
namespace {

size_t WeightOf(const CommandBody& body) {
  const auto* changes = std::get_if<Changes>(&body);
  if (!changes) return 1;
  return 1 + changes->nodes.size() + changes->pods.size() + changes->removed_nodes.size() +
         changes->removed_pods.size();
}

}  // namespace

const char* Name(Lane lane) {
  switch (lane) {
    case Lane::kControl:
      return "control";
    case Lane::kFact:
      return "fact";
    case Lane::kBulk:
      return "bulk";
  }
  return "";
}

Mailbox::Mailbox(size_t fact_capacity, size_t bulk_capacity, size_t query_capacity)
    : query_capacity_(query_capacity) {
  state(Lane::kFact).capacity = fact_capacity;
  state(Lane::kBulk).capacity = bulk_capacity;
}

bool Mailbox::Post(Lane lane, Envelope& envelope) {
  {
    std::lock_guard lock(mutex_);
    LaneState& to = state(lane);
    if (lane != Lane::kControl && to.weight >= to.capacity) {
      ++to.refused;
      return false;
    }
    to.weight += WeightOf(envelope.body);
    envelope.posted = std::chrono::steady_clock::now();
    to.queue.push_back(std::move(envelope));
  }
  something_.notify_one();
  return true;
}

bool Mailbox::PostQuery(QueryFunction query) {
  {
    std::lock_guard lock(mutex_);
    if (queries_.size() >= query_capacity_) return false;
    queries_.push_back(std::move(query));
  }
  something_.notify_one();
  return true;
}

void Mailbox::WhenRoom(Lane lane, std::function<void()> room) {
  {
    std::lock_guard lock(mutex_);
    LaneState& of = state(lane);
    if (!HasRoom(of)) {
      of.waiters.push_back(std::move(room));
      return;
    }
  }
  room();
}

std::optional<Mailbox::Taken> Mailbox::Take(bool bulk_too) {
  std::optional<Taken> taken;
  std::vector<std::function<void()>> due;
  {
    std::lock_guard lock(mutex_);
    for (Lane lane : {Lane::kControl, Lane::kFact, Lane::kBulk}) {
      if (lane == Lane::kBulk && !bulk_too) break;
      LaneState& from = state(lane);
      if (from.queue.empty()) continue;
      taken = Taken{lane, std::move(from.queue.front())};
      from.queue.pop_front();
      from.weight -= WeightOf(taken->envelope.body);
      if (HasRoom(from)) due.swap(from.waiters);
      break;
    }
  }
  for (auto& room : due) room();
  return taken;
}

std::vector<QueryFunction> Mailbox::TakeQueries() {
  std::lock_guard lock(mutex_);
  std::vector<QueryFunction> out(std::make_move_iterator(queries_.begin()),
                                 std::make_move_iterator(queries_.end()));
  queries_.clear();
  return out;
}

void Mailbox::Wait(SteadyTime until) {
  std::unique_lock lock(mutex_);
  something_.wait_until(lock, until, [this] {
    if (woken_ || !queries_.empty()) return true;
    for (const LaneState& lane : lanes_) {
      if (!lane.queue.empty()) return true;
    }
    return false;
  });
  woken_ = false;
}

void Mailbox::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  something_.notify_one();
}

Mailbox::LaneStats Mailbox::Stats(Lane lane) const {
  std::lock_guard lock(mutex_);
  const LaneState& of = lanes_[static_cast<size_t>(lane)];
  return {of.queue.size(), of.weight, of.capacity, of.refused};
}

}  // namespace phalanx::runtime

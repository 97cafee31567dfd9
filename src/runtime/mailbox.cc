#include "runtime/mailbox.h"

#include <utility>

namespace phalanx::runtime {
namespace {

size_t WeightOf(const CommandBody& body) {
  const auto* changes = std::get_if<Changes>(&body);
  return changes ? 1 + ObjectsIn(*changes) : 1;
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

Mailbox::Callbacks Mailbox::Relieve(LaneState& lane, size_t weight) {
  Callbacks due;
  lane.weight -= weight;
  if (HasRoom(lane)) due.swap(lane.waiters);
  return due;
}

std::optional<Mailbox::Taken> Mailbox::Take(bool bulk_too) {
  std::optional<Taken> taken = Pop(bulk_too && !cutting_);
  if (taken) {
    auto* changes = std::get_if<Changes>(&taken->envelope.body);
    if (!changes || ObjectsIn(*changes) <= ChangesCutter::kPiece) return taken;
    ChangesCutter cutter(std::move(*changes));
    cutting_.emplace(Cutting{std::move(taken->envelope), std::move(cutter)});
  }
  if (!cutting_ || !bulk_too) return std::nullopt;
  return TakePiece();
}

std::optional<Mailbox::Taken> Mailbox::Pop(bool bulk_too) {
  std::optional<Taken> taken;
  Callbacks due;
  {
    std::lock_guard lock(mutex_);
    for (Lane lane : {Lane::kControl, Lane::kFact, Lane::kBulk}) {
      if (lane == Lane::kBulk && !bulk_too) break;
      LaneState& from = state(lane);
      if (from.queue.empty()) continue;
      taken = Taken{lane, std::move(from.queue.front())};
      from.queue.pop_front();
      size_t weight = WeightOf(taken->envelope.body);
      is_cutting_ |= weight > 1 + ChangesCutter::kPiece;
      // What is taken in pieces leaves the lane piece by piece.
      if (!is_cutting_ || lane != Lane::kBulk) due = Relieve(from, weight);
      break;
    }
  }
  for (auto& room : due) room();
  return taken;
}

Mailbox::Taken Mailbox::TakePiece() {
  const Envelope& whole = cutting_->envelope;
  Taken taken{Lane::kBulk, {whole.epoch, cutting_->cutter.Next(), nullptr, whole.posted}};
  size_t weight = ObjectsIn(std::get<Changes>(taken.envelope.body));
  if (cutting_->cutter.done()) {
    cutting_.reset();
    ++weight;  // of the message itself
  }
  Callbacks due;
  {
    std::lock_guard lock(mutex_);
    is_cutting_ = cutting_.has_value();
    due = Relieve(state(Lane::kBulk), weight);
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
    if (woken_ || is_cutting_ || !queries_.empty()) return true;
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
  size_t cutting = lane == Lane::kBulk && is_cutting_ ? 1 : 0;
  return {of.queue.size() + cutting, of.weight, of.capacity, of.refused};
}

}  // namespace phalanx::runtime

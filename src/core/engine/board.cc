#include "core/engine/board.h"

#include <algorithm>

#include "core/base/hash.h"

namespace phalanx {
namespace {

// Positions are looked at when a start has settled down; many starts then cost one sweep.
constexpr Duration kSweepAfter = Duration::Seconds(1);

template <class Lane>
Time DueOf(const Lane& lane) {
  return lane.empty() ? Time::Never() : lane.begin()->first.due;
}

void Mix(Hash& hash, const std::optional<OrderKey>& key) {
  hash.Add(key.has_value());
  if (key) hash.Add(key->repair).Add(key->priority).Add(key->since).Add(key->gang);
}

void Mix(Hash& hash, const Slot& slot) { hash.Add(slot.due).Add(slot.order); }

uint64_t DigestOf(const GangKey& key, const Shown& shown) {
  Hash hash;
  hash.Add(key).Add(shown.made).Add(shown.owners).Add(shown.said.print).Add(shown.said.position);
  hash.Add(shown.written).Add(shown.not_before).Add(shown.failures).Add(shown.in_flight);
  hash.Add(shown.flying).Add(shown.saying.print).Add(shown.making).Add(shown.again);
  hash.Add(shown.complete.since).Add(shown.ready.since).Add(shown.finished.since);
  hash.Add(shown.last != nullptr).Add(shown.drop_at).Add(shown.queued.has_value());
  if (shown.queued) {
    hash.Add(shown.queued->first);
    Mix(hash, shown.queued->second);
  }
  return hash.Done();
}

}  // namespace

Shown* Board::Find(const GangKey& key) {
  auto it = shown_.find(key);
  return it == shown_.end() ? nullptr : &it->second;
}

void Board::Erase(const GangKey& key) {
  auto it = shown_.find(key);
  if (it == shown_.end()) return;
  if (const auto& queued = it->second.queued) {
    lanes_[static_cast<size_t>(queued->first)].erase(queued->second);
  }
  shown_.erase(it);
}

void Board::Queue(const GangKey& key, Shown& shown, Urgency urgency, Time due) {
  if (shown.queued) {
    const auto [old, slot] = *shown.queued;
    if (old < urgency || (old == urgency && slot.due <= due)) return;
    lanes_[static_cast<size_t>(old)].erase(slot);
  }
  const Slot slot = NewSlot(due);
  lanes_[static_cast<size_t>(urgency)].emplace(slot, key);
  shown.queued = {urgency, slot};
}

void Board::TakeOff(const GangKey& key, Shown& shown, uint64_t sequence) {
  shown.in_flight = sequence;
  shown.again = false;
  flights_[sequence] = key;
}

std::pair<const GangKey, Shown>* Board::Land(uint64_t sequence) {
  auto flight = flights_.find(sequence);
  if (flight == flights_.end()) return nullptr;
  auto it = shown_.find(flight->second);
  flights_.erase(flight);
  it->second.in_flight = 0;
  return &*it;
}

void Board::ForgetFlights() {
  for (const auto& [sequence, key] : flights_) {
    Shown& shown = shown_.find(key)->second;
    shown.in_flight = 0;
    if (shown.flying != WriteKind::kMake) shown.said = {};
    Queue(key, shown, Urgency::kNew, shown.not_before);
  }
  flights_.clear();
}

void Board::QueueMembers(const GangKey& key, Time due) {
  if (told_next_.count(key) > 0) return;
  const Slot slot = NewSlot(due);
  members_.emplace(slot, key);
  told_next_[key] = slot;
}

void Board::QueueEvent(PodEvent event, Time due) {
  if (events_.size() < kMostEvents) events_.emplace(NewSlot(due), std::move(event));
}

void Board::PauseObjects(Time until) {
  objects_from_ = std::max(objects_from_, until);
  probing_ = true;
}

void Board::NotePositions(const OrderKey& key, Time now) {
  if (sweep.due == Time::Never()) {
    sweep = {key, std::nullopt, now + kSweepAfter};
  } else if (sweep.after && key < *sweep.after && (!sweep.next || key < *sweep.next)) {
    sweep.next = key;
  }
}

Item Board::TakeObject(Urgency urgency) {
  Lane& lane = lanes_[static_cast<size_t>(urgency)];
  Item item{Item::Kind::kObject, lane.begin()->second, {}};
  lane.erase(lane.begin());
  shown_.find(item.gang)->second.queued.reset();
  return item;
}

std::optional<Item> Board::TakeNews(Time now) {
  const Time object =
      MayTakeObjects(now) ? DueOf(lanes_[static_cast<size_t>(Urgency::kNew)]) : Time::Never();
  const Time member = DueOf(members_);
  const Time event = DueOf(events_);
  if (std::min({object, member, event}) > now) return std::nullopt;
  if (object <= std::min(member, event)) return TakeObject(Urgency::kNew);
  if (event <= member) {
    Item item{Item::Kind::kEvent, {}, std::move(events_.begin()->second)};
    events_.erase(events_.begin());
    return item;
  }
  Item item{Item::Kind::kMembers, members_.begin()->second, {}};
  members_.erase(members_.begin());
  told_next_.erase(item.gang);
  return item;
}

std::optional<Item> Board::Take(Time now) {
  const auto due = [&](Urgency urgency) {
    return MayTakeObjects(now) && DueOf(lanes_[static_cast<size_t>(urgency)]) <= now;
  };
  if (due(Urgency::kChange)) return TakeObject(Urgency::kChange);
  if (std::optional<Item> item = TakeNews(now)) return item;
  if (due(Urgency::kRefresh)) return TakeObject(Urgency::kRefresh);
  return std::nullopt;
}

Time Board::Next() const {
  Time next = std::min({DueOf(members_), DueOf(events_), sweep.due});
  if (!ObjectsWait()) {
    for (const Lane& lane : lanes_) {
      if (!lane.empty()) next = std::min(next, std::max(DueOf(lane), objects_from_));
    }
  }
  if (next == Time::Never() || budget.Has()) return next;
  return std::max(next, budget.NextAt());
}

size_t Board::waiting() const {
  size_t sum = members_.size() + events_.size();
  for (const Lane& lane : lanes_) sum += lane.size();
  return sum;
}

uint64_t Board::Digest() const {
  Hash hash;
  hash.Add(budget.level()).Add(objects_from_).Add(probing_).Add(sweep.due);
  Mix(hash, sweep.after);
  Mix(hash, sweep.next);
  for (const auto& [slot, key] : members_) {
    Mix(hash, slot);
    hash.Add(key);
  }
  for (const auto& [slot, event] : events_) {
    Mix(hash, slot);
    hash.Add(event.pod_uid).Add(event.message);
  }
  uint64_t sum = hash.Done();
  for (const auto& [key, shown] : shown_) sum += DigestOf(key, shown);
  return sum;
}

}  // namespace phalanx

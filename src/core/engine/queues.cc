#include "core/engine/queues.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace phalanx {
namespace {

const ApiObject* ObjectOf(const State& state, const std::string& queue) {
  return state.objects.Find({kGangQueueKind, "", queue});
}

const DeclaredQueue* Said(const ApiObject& object) {
  const auto* queue = std::get_if<DeclaredQueue>(&object.body);
  return queue != nullptr && object.followed_generation > 0 ? queue : nullptr;
}

std::map<std::string, DeclaredQueue> Declared(const State& state) {
  std::map<std::string, DeclaredQueue> declared;
  for (const auto& [key, entry] : state.objects.entries()) {
    if (const DeclaredQueue* queue = Said(entry.object)) declared.emplace(key.name, *queue);
  }
  return declared;
}

Reason NeverRead(const ApiObject& object) {
  const Problem& problem = object.problems.front();
  Reason reason{.code = ReasonCode::kInvalid, .subject = problem.field};
  reason.detail = fmt::format("is \"{}\", expected {}", problem.value, problem.expected);
  reason.member = ToString(object.key);
  return reason;
}

// Where the way up from a queue that hangs nowhere breaks off.
Reason Unreached(const State& state, const std::string& queue) {
  Reason reason{.code = ReasonCode::kQueueMissing, .subject = queue};
  std::set<std::string> seen;
  std::string at = queue;
  while (seen.insert(at).second) {
    const ApiObject* object = ObjectOf(state, at);
    if (object == nullptr || Said(*object) == nullptr) {
      reason.detail = at;
      return reason;
    }
    at = Said(*object)->parent;
  }
  reason.code = ReasonCode::kQueueCycle;
  reason.detail = at;
  return reason;
}

std::string FirstBelow(const State& state, const std::string& queue) {
  for (const QueueTree::Queue& other : state.queues.queues()) {
    if (other.says.parent == queue) return other.name;
  }
  return "";
}

int64_t DevicesOf(const State& state, ShapeId shape) {
  return state.accelerators.CountIn(state.cluster.shapes().Get(shape).request,
                                    state.cluster.resources());
}

}  // namespace

void DeclareQueues(State& state) {
  state.queues.Declare(Declared(state));
  for (const auto& [key, id] : state.gangs.by_key()) {
    Gang& gang = state.gangs.Get(id);
    const std::string queue = QueueOf(state, gang.terms);
    if (queue == gang.queue && QueueReason(state, queue) == gang.queue_reason) continue;
    gang.changed = true;
    state.Touch(id);
  }
  // Limits may have been raised.
  state.NoteRelease();
}

std::string QueueOf(const State& state, const Terms& terms) {
  if (!terms.queue.empty()) return terms.queue;
  return ObjectOf(state, kDefaultQueue) != nullptr ? kDefaultQueue : "";
}

Reason QueueReason(const State& state, const std::string& queue) {
  if (queue.empty()) return {};
  const ApiObject* object = ObjectOf(state, queue);
  if (object != nullptr && Said(*object) == nullptr) return NeverRead(*object);
  const QueueTree::Queue* found = state.queues.Find(queue);
  if (found == nullptr) return Unreached(state, queue);
  if (!found->leaf) {
    Reason reason{.code = ReasonCode::kQueueNotLeaf, .subject = queue};
    reason.detail = FirstBelow(state, queue);
    return reason;
  }
  for (const QueueTree::Queue* on_path : state.queues.PathUp(queue)) {
    if (!on_path->says.paused) continue;
    Reason reason{.code = ReasonCode::kQueuePaused, .subject = on_path->name};
    reason.member = on_path->says.paused_by;
    reason.detail = on_path->says.pause_reason;
    return reason;
  }
  return {};
}

Charge ChargeOf(const State& state, const Gang& gang) {
  Charge charge{gang.queue, 0};
  for (const auto& [shape, members] : gang.roster.taking()) {
    charge.devices += members * DevicesOf(state, shape);
  }
  return charge;
}

void UpdateCharge(State& state, Gang& gang) {
  Charge now = ChargeOf(state, gang);
  if (now == gang.charge) return;
  state.queues.Charge(gang.charge.queue, -gang.charge.devices);
  state.queues.Charge(now.queue, now.devices);
  gang.charge = std::move(now);
}

Reason LimitReason(const State& state, const Gang& gang, const std::vector<Member*>& members) {
  if (!state.queues.limited()) return {};
  int64_t devices = 0;
  for (const Member* member : members) devices += DevicesOf(state, member->shape);
  const QueueTree::Queue* over = state.queues.FirstOver(gang.queue, devices);
  if (over == nullptr) return {};
  Reason reason{.code = ReasonCode::kQueueLimit, .have = over->devices, .need = devices};
  reason.subject = over->name;
  reason.detail = fmt::to_string(*over->says.limit);
  reason.never = gang.charge.devices + devices > *over->says.limit;
  return reason;
}

}  // namespace phalanx

#include "core/engine/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/engine/declared.h"
#include "core/engine/lifecycle.h"
#include "core/engine/queues.h"
#include "core/engine/topology_status.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

// What the object says; nullptr if it is not there or can't be followed.
const GangTerms* Said(const State& state, const Terms& terms) {
  const ApiObject* object = terms.object ? state.objects.Find(*terms.object) : nullptr;
  if (object == nullptr || !object->problems.empty()) return nullptr;
  return std::get_if<GangTerms>(&object->body);
}

// Members that were bound by somebody else stand for themselves where nothing else is known.
int32_t MinimumByObject(const GangTerms* said, const Roster& roster) {
  const int32_t started = roster.StartedUnder();
  if (said == nullptr) return std::max(started > 0 ? started : roster.Placed(), 1);
  return started > 0 ? std::min(said->min, started) : said->min;
}

bool IsTopology(const ApiObject* object) {
  return object != nullptr && std::holds_alternative<DeclaredTopology>(object->body);
}

void TouchUsers(State& state, const ObjectKey& key) {
  for (GangId id : state.objects.UsersOf(key)) {
    state.gangs.Get(id).changed = true;
    state.Touch(id);
  }
}

}  // namespace

Terms TermsNow(const State& state, const Gang& gang) {
  const Roster& roster = gang.roster;
  Terms terms = roster.terms().empty() ? gang.terms : roster.terms().begin()->first;
  if (!terms.sized_by_object) return terms;
  terms.min = MinimumByObject(Said(state, terms), roster);
  const int32_t pods = roster.Live() + roster.Count(Standing::kSucceeded);
  terms.size = std::clamp(pods, terms.min, kMaxGangSize);
  return terms;
}

Reason ObjectReason(const State& state, const Terms& terms) {
  if (!terms.object) return {};
  const std::string name = ToString(*terms.object);
  const ApiObject* object = state.objects.Find(*terms.object);
  if (object == nullptr) {
    if (!terms.sized_by_object) return {};
    return {.code = ReasonCode::kObjectMissing, .subject = name};
  }
  Reason reason{.code = ReasonCode::kInvalid, .member = name};
  if (!object->problems.empty()) {
    const Problem& problem = object->problems.front();
    reason.subject = problem.field;
    reason.detail = fmt::format("is \"{}\", expected {}", problem.value, problem.expected);
    return reason;
  }
  const GangTerms* said = Said(state, terms);
  if (terms.sized_by_object || said == nullptr || said->min == terms.min) return {};
  reason.subject = "the minimum";
  reason.detail = fmt::format("is \"{}\", expected {}, as the gang labels of the members say",
                              said->min, terms.min);
  return reason;
}

void UpdateTerms(State& state, GangId id) {
  Gang& gang = state.gangs.Get(id);
  Terms now = TermsNow(state, gang);
  if (now.object != gang.terms.object) {
    if (gang.terms.object) state.objects.Drop(*gang.terms.object, id);
    if (now.object) state.objects.Use(*now.object, id);
  }
  if (now != gang.terms) gang.changed = true;
  gang.terms = std::move(now);
  gang.object_reason = ObjectReason(state, gang.terms);
  gang.queue = QueueOf(state, gang.terms);
  gang.queue_reason = QueueReason(state, gang.queue);
}

void CheckTerms(State& state, Gang& gang) {
  if (!gang.plan || gang.plan->joining || gang.plan->stage == PlanStage::kBind) return;
  if (gang.object_reason.code != ReasonCode::kNone) {
    WithdrawPlan(state, gang, Explain(gang.object_reason));
    return;
  }
  const int32_t with_plan = gang.plan->size + gang.roster.Count(Standing::kSucceeded);
  if (!gang.terms.sized_by_object || with_plan >= gang.terms.min) return;
  WithdrawPlan(state, gang,
               fmt::format("{} was changed: it asks for {} members, {} were being started",
                           ToString(*gang.terms.object), gang.terms.min, with_plan));
}

Duration ReserveDeadline(const State& state, const Gang& gang) {
  const GangTerms* said = Said(state, gang.terms);
  const Duration own = state.config.reserve_deadline;
  if (said == nullptr || !said->reserve_deadline) return own;
  return std::min(own, *said->reserve_deadline);
}

void ApplyObjects(State& state, const Changes& changes) {
  bool topology = false;
  bool queue = false;
  for (const RemovedObject& removed : changes.removed_objects) {
    topology |= IsTopology(state.objects.Find(removed.key));
    queue |= removed.key.kind == kGangQueueKind;
    if (state.objects.Remove(removed.key, removed.uid)) {
      TouchUsers(state, removed.key);
    } else {
      state.counters.CountRefused("unknown object");
    }
  }
  for (const ApiObject& object : changes.objects) {
    topology |= IsTopology(&object);
    queue |= object.key.kind == kGangQueueKind;
    ApiObject kept = WithLastGood(state.objects, object);
    if (state.objects.Upsert(std::move(kept), state.epoch)) TouchUsers(state, object.key);
  }
  if (queue) DeclareQueues(state);
  // Places may have come where there were none.
  if (!topology) return;
  if (DeclareTopology(state)) state.NoteRelease();
  ShowTopologiesLater(state);
}

void RemoveUnseenObjects(State& state) {
  for (const ObjectKey& key : state.objects.UnseenIn(state.epoch)) {
    state.objects.Remove(key, "");
    TouchUsers(state, key);
  }
  DeclareQueues(state);
  DeclareTopology(state);
  ShowTopologiesLater(state);
}

}  // namespace phalanx

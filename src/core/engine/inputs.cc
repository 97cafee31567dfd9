#include "core/engine/inputs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/engine/lifecycle.h"
#include "core/engine/mix.h"
#include "core/engine/reasons.h"
#include "core/engine/tell.h"
#include "core/engine/terms.h"

namespace phalanx {
namespace {

// ---- nodes

bool AnyMore(const QuantityMap& before, const QuantityMap& after) {
  for (const auto& [name, quantity] : after) {
    auto it = before.find(name);
    if (it == before.end() || it->second < quantity) return true;
  }
  return false;
}

// Whether some shape may fit now that did not before.
bool CanHelp(const NodeObject& before, const NodeObject& after) {
  return before.uid != after.uid || (after.ready && !before.ready) ||
         (before.unschedulable && !after.unschedulable) || before.labels != after.labels ||
         before.taints != after.taints || AnyMore(before.allocatable, after.allocatable);
}

// Whether less fits than before. REQUIRES: !CanHelp.
bool CanHurt(const NodeObject& before, const NodeObject& after) {
  return before.ready != after.ready || before.unschedulable != after.unschedulable ||
         before.allocatable != after.allocatable;
}

// Plans that both barriers released go on: the adapter checks the node before each Binding.
void WithdrawPlansOn(State& state, const std::set<NodeId>& nodes, const std::string& why) {
  std::vector<GangId> hit;
  for (GangId id : state.starting) {
    const Gang& gang = state.gangs.Get(id);
    if (gang.plan->stage == PlanStage::kBind) continue;
    const auto& members = gang.roster.members();
    const bool there = std::any_of(members.begin(), members.end(), [&](const auto& entry) {
      return state.InPlan(gang, entry.second) && nodes.count(entry.second.node) > 0;
    });
    if (there) hit.push_back(id);
  }
  for (GangId id : hit) WithdrawPlan(state, state.gangs.Get(id), why);
}

// The ids under which a plan may know the node, if it can take nothing new.
void UpsertNode(State& state, const NodeObject& object, std::set<NodeId>* unusable) {
  const NodeId old = state.cluster.FindNode(object.name);
  const bool helps = !old.valid() || CanHelp(state.cluster.node(old).object, object);
  const bool hurts = !helps && CanHurt(state.cluster.node(old).object, object);
  const bool replaced = old.valid() && state.cluster.node(old).object.uid != object.uid;
  const NodeId id = state.cluster.UpsertNode(object);
  if (replaced) unusable->insert(old);
  if (replaced || !object.ready || object.unschedulable) unusable->insert(id);
  if (helps) state.NoteRelease();
  if (hurts) state.NoteGrowth();
  state.unseen_nodes.erase(object.name);
}

// ---- pods

// A pod never goes back: a stale copy can't unbind it, revive it, or take its deletion away.
void KeepWhatIsFinal(const State& state, const Pod& pod, PodObject* object) {
  if (pod.node.valid()) object->node = state.cluster.node(pod.node).object.name;
  if (pod.ended()) object->phase = pod.phase;
  object->deleting |= pod.deleting;
}

ShapeId InternShape(State& state, PodObject* object, const Resources& request) {
  Shape shape;
  shape.request = request;
  shape.node_selector = std::exchange(object->node_selector, {});
  shape.required_terms = std::exchange(object->required_terms, {});
  shape.tolerations = std::exchange(object->tolerations, {});
  shape.segment = object->membership->segment;
  shape.spread = object->membership->spread;
  shape.traffic = object->membership->traffic;
  object->requests.clear();
  return state.cluster.shapes().Intern(std::move(shape));
}

// Ended members of an earlier owner under the same name are not members of the new gang.
void DropPredecessors(State& state, Gang& gang, const PodObject& object) {
  if (gang.roster.Live() > 0) return;
  std::vector<Member*> old;
  for (auto& [key, member] : gang.roster.members()) {
    if (member.object.owner.uid != object.owner.uid) old.push_back(&member);
  }
  for (Member* member : old) {
    Pod& pod = state.pods.Get(member->pod);
    pod.gang = GangId::None();
    pod.member = nullptr;
    gang.roster.Remove(*member);
  }
}

// What follows from a member's pod: it speaks for its gang once it is in the roster.
struct Before {
  Standing standing;
  ShapeId shape;
  Terms terms;
  MemberKey key;

  friend bool operator==(const Before&, const Before&) = default;
};
Before Snap(const Member& member) {
  return {member.standing, member.shape, TermsOf(member), member.key};
}

// What the Binding wrote is right, also where the plan was recalled and its ranks were guessed.
// Of the domain one member is enough: all were told the same.
void ReadBoundPlan(Gang& gang, Member& member) {
  const std::optional<BoundPlan>& bound = member.object.bound_plan;
  if (!bound || member.InPipeline()) return;
  member.plan = bound->plan;
  if (bound->rank >= 0) member.rank = bound->rank;
  if (gang.domain.empty()) gang.domain = bound->domain;
}

void Join(State& state, PodId id, GangId gang_id, PodObject object, ShapeId shape) {
  Gang& gang = state.gangs.Get(gang_id);
  DropPredecessors(state, gang, object);
  const bool told = object.told;
  Member& member = gang.roster.Add(id, std::move(object), shape);
  member.told = told;
  member.seen = state.now;
  Pod& pod = state.pods.Get(id);
  member.node_gone = OnMissingNode(state, pod);
  ReadBoundPlan(gang, member);
  pod.gang = gang_id;
  pod.member = &member;
  gang.changed = true;
  if (!pod.ended()) NoteCame(state, member);
}

void UpdateMember(State& state, Pod& pod, PodObject object, ShapeId shape) {
  Member& member = *pod.member;
  Gang& gang = state.gangs.Get(pod.gang);
  if (shape != member.shape) MemberLost(state, gang, member, state.NameOf(member) + " changed");
  const Before before = Snap(member);
  member.told |= object.told;
  gang.roster.Replace(member, std::move(object), shape);
  if (Snap(member) != before) gang.changed = true;
}

void Leave(State& state, Pod& pod, const std::string& why) {
  Gang& gang = state.gangs.Get(pod.gang);
  MemberLost(state, gang, *pod.member, why);
  gang.roster.Remove(*pod.member);
  gang.changed = true;
  state.Touch(pod.gang);
  pod.gang = GangId::None();
  pod.member = nullptr;
}

// Moves the pod to the gang that it names now; what it holds moves with it.
void SetMembership(State& state, PodId id, PodObject object, ShapeId shape) {
  Pod& pod = state.pods.Get(id);
  const GangId known = state.gangs.Find(object.membership->gang);
  // A gang is not brought back by what is left of it.
  if (!known.valid() && pod.ended() && state.synced) return;
  const GangId gang = state.gangs.FindOrAdd(object.membership->gang);
  state.Touch(gang);
  if (pod.member != nullptr && pod.gang == gang) {
    UpdateMember(state, pod, std::move(object), shape);
    return;
  }
  Stage stage = Stage::kIdle;
  uint64_t plan = 0;
  NodeId node;
  if (pod.member != nullptr) {
    Gang& old = state.gangs.Get(pod.gang);
    MemberLost(state, old, *pod.member, state.NameOf(*pod.member) + " left the gang");
    stage = pod.member->stage;
    plan = pod.member->plan;
    node = pod.member->node;
    Leave(state, pod, "");
  }
  Join(state, id, gang, std::move(object), shape);
  pod.member->stage = stage;
  if (stage != Stage::kIdle) {
    pod.member->plan = plan;
    state.gangs.Get(gang).resend_at = state.now + state.config.resend_after;
  }
  if (node.valid()) pod.member->node = node;
  state.gangs.Get(gang).roster.Refresh(*pod.member);
}

void Bind(State& state, PodId id, const std::string& node) {
  Pod& pod = state.pods.Get(id);
  if (pod.member != nullptr) {
    MemberBound(state, state.gangs.Get(pod.gang), *pod.member, node);
    state.gangs.Get(pod.gang).changed = true;
    return;
  }
  pod.node = state.cluster.NodeForName(node);
  if (!pod.ended()) {
    state.cluster.ledger().Book(id, pod.node, BookingKind::kBound, pod.request);
    state.NoteGrowth();
  }
}

void FreeIfEnded(State& state, PodId id) {
  const Pod& pod = state.pods.Get(id);
  if (!pod.ended() || !pod.node.valid() || !state.cluster.ledger().Find(id)) return;
  state.cluster.ledger().Release(id);
  state.NoteRelease();
}

// A pod that is bound and changes its requests in place.
void Rebook(State& state, PodId id, const Resources& request) {
  Pod& pod = state.pods.Get(id);
  const bool changed = pod.request != request;
  pod.request = request;
  if (!changed || !pod.node.valid() || pod.ended()) return;
  state.cluster.ledger().Book(id, pod.node, BookingKind::kBound, request, state.TalkOf(pod));
  state.NoteRelease();
}

// What the pod says now counts at once.
void Retalk(State& state, PodId id) {
  const std::optional<Booking> booking = state.cluster.ledger().Find(id);
  const Talk talk = state.TalkOf(state.pods.Get(id));
  if (!booking || booking->talk == talk) return;
  state.cluster.ledger().SetTalk(id, talk);
  state.NoteRelease();
}

void UpsertPod(State& state, PodObject object) {
  PodId id = state.pods.Find(object.uid);
  if (!id.valid()) id = state.pods.Add(object.uid);
  Pod& pod = state.pods.Get(id);
  KeepWhatIsFinal(state, pod, &object);
  pod.ns = object.ns;
  pod.name = object.name;
  pod.ours = object.ours;
  pod.phase = object.phase;
  pod.deleting = object.deleting;
  pod.seen_epoch = state.epoch;
  Rebook(state, id, Resources::From(object.requests, state.cluster.resources()));
  const std::string node = object.node;
  if (!pod.node.valid()) object.node.clear();
  object.membership = MembershipOf(state, object);
  auto& late = object.unresolved_objects;
  std::sort(late.begin(), late.end());
  late.erase(std::unique(late.begin(), late.end()), late.end());
  if (object.membership) {
    const ShapeId shape = InternShape(state, &object, pod.request);
    SetMembership(state, id, std::move(object), shape);
  } else if (pod.member != nullptr) {
    Leave(state, pod, pod.name + " left the gang");
  }
  if (!node.empty() && !pod.node.valid()) Bind(state, id, node);
  if (pod.member != nullptr && pod.node.valid()) {
    ReadBoundPlan(state.gangs.Get(pod.gang), *pod.member);
  }
  if (pod.member != nullptr && !pod.node.valid() && (pod.deleting || pod.ended())) {
    MemberLost(state, state.gangs.Get(pod.gang), *pod.member,
               state.NameOf(*pod.member) + (pod.ended() ? " ended" : " is deleted"));
  }
  FreeIfEnded(state, id);
  Retalk(state, id);
  state.unpublished.push_back(id);
}

}  // namespace

void RemovePod(State& state, PodId id) {
  Pod& pod = state.pods.Get(id);
  if (pod.member != nullptr) Leave(state, pod, pod.ns + "/" + pod.name + " is gone");
  if (state.cluster.ledger().Find(id)) {
    state.cluster.ledger().Release(id);
    state.NoteRelease();
  }
  if (pod.published.kind != AnswerKind::kUnknown) {
    state.outbox.Answer({pod.uid, AnswerKind::kUnknown, "", 0, ""});
  }
  state.pods.Remove(id);
}

void RemoveNode(State& state, const std::string& name) {
  const NodeId id = state.cluster.FindNode(name);
  state.unseen_nodes.erase(name);
  if (!id.valid()) {
    state.counters.CountRefused("unknown node");
    return;
  }
  WithdrawPlansOn(state, {id}, "node " + name + " was deleted");
  state.cluster.RemoveNode(name);
  state.NoteGrowth();
}

void ApplyChanges(State& state, const Changes& changes) {
  const uint64_t seen = state.cluster.presence_changes();
  for (const std::string& name : changes.removed_nodes) RemoveNode(state, name);
  std::set<NodeId> unusable;
  for (const NodeObject& node : changes.nodes) UpsertNode(state, node, &unusable);
  if (state.synced && state.cluster.presence_changes() != seen) FindLostMembers(state);
  if (!unusable.empty()) WithdrawPlansOn(state, unusable, "a planned node can't be used any more");
  ApplyObjects(state, changes);
  for (const std::string& uid : changes.removed_pods) {
    const PodId id = state.pods.Find(uid);
    if (id.valid()) {
      RemovePod(state, id);
    } else {
      state.counters.CountRefused("unknown pod");
    }
  }
  for (const PodObject& pod : changes.pods) UpsertPod(state, pod);
  TellRefused(state, changes);
}

}  // namespace phalanx

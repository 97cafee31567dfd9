#include "core/engine/field_hasher.h"

#include <variant>

#include "core/engine/fields.h"

namespace phalanx {

void FieldHasher::Put(NodeId id) {
  hash_.Add(id.valid() ? state_.cluster.node(id).object.name : std::string());
}

void FieldHasher::Put(GangId id) { Put(id.valid() ? state_.gangs.Get(id).key : GangKey()); }

void FieldHasher::Put(PodId id) { hash_.Add(id.valid() ? state_.pods.Get(id).uid : std::string()); }

void FieldHasher::Put(ShapeId id) {
  Put(id.valid());
  if (!id.valid()) return;
  const Shape& shape = state_.cluster.shapes().Get(id);
  Add(shape.request, shape.node_selector, shape.required_terms, shape.tolerations);
}

void FieldHasher::Put(const std::set<GangId>& gangs) {
  std::set<GangKey> keys;
  for (GangId id : gangs) keys.insert(state_.gangs.Get(id).key);
  Put(keys);
}

void FieldHasher::Put(const GangKey& key) { Add(key.ns, key.source, key.name); }

void FieldHasher::Put(const ObjectKey& key) { Add(key.kind, key.ns, key.name); }

void FieldHasher::Put(const DeclaredLevel& level) {
  Add(level.name, level.label, level.before_dot, level.crosses, level.uplink.mbps,
      level.uplink.hard);
}

void FieldHasher::Put(const SharedPool& pool) { Add(pool.name, pool.capacity); }

void FieldHasher::Put(const DeclaredTopology& topology) {
  Add(topology.precedence, topology.complete, topology.levels, topology.pools);
}

void FieldHasher::Put(const DeclaredQueue& queue) {
  Add(queue.parent, queue.limit, queue.paused, queue.paused_by, queue.pause_reason);
}

void FieldHasher::Put(const GangTerms& terms) { Add(terms.min, terms.reserve_deadline); }

void FieldHasher::Put(const ApiObject& object) {
  Add(object.key, object.uid, object.body.index(), object.problems, object.generation,
      object.followed_generation);
  std::visit([this](const auto& body) { Put(body); }, object.body);
}

void FieldHasher::Put(const ObjectTable& objects) {
  Put(objects.entries().size());
  for (const auto& [key, entry] : objects.entries()) Put(entry.object);
}

void FieldHasher::Put(const OwnerRef& owner) {
  Add(owner.api_version, owner.kind, owner.name, owner.uid);
}

void FieldHasher::Put(const Problem& problem) {
  Add(problem.field, problem.value, problem.expected);
}

void FieldHasher::Put(const Membership& says) {
  Add(says.gang, says.size, says.min, says.role, says.required_level, says.preferred_level);
  Add(says.segment.size, says.segment.required_level, says.segment.preferred_level);
  Add(says.index, says.index_group, says.expected_duration, says.problems, says.terms_object,
      says.sized_by_object);
  Add(says.spread.level, says.spread.at_most, says.spread.at_least, says.spread.evenly,
      says.spread.by, says.spread.whom, says.together.level, says.together.whom,
      says.exclusive_level);
  const Traffic& sends = says.traffic;
  Add(sends.dp, sends.tp, sends.pp, sends.ep, sends.all_to_all);
  Add(says.group.name, says.group.required_level, says.group.preferred_level, says.group.size);
  Add(says.queue);
}

void FieldHasher::Put(const BoundPlan& bound) {
  Add(bound.plan, bound.rank, bound.gang_size, bound.domain);
}

void FieldHasher::Put(const PodObject& pod) {
  Add(pod.uid, pod.ns, pod.name, pod.ours, pod.node, pod.phase, pod.phase_reason, pod.deleting);
  Add(pod.priority, pod.created, pod.bound, pod.told, pod.requests, pod.owner, pod.gates,
      pod.node_selector);
  Add(pod.required_terms, pod.tolerations, pod.unresolved_objects, pod.termination_grace);
  Add(pod.membership, pod.bound_plan);
}

void FieldHasher::Put(const Taint& taint) { Add(taint.key, taint.value, taint.effect); }

void FieldHasher::Put(const Toleration& toleration) {
  Add(toleration.key, toleration.exists, toleration.value, toleration.effect);
}

void FieldHasher::Put(const NodeRequirement& requirement) {
  Add(requirement.key, requirement.op, requirement.values, requirement.field, requirement.because);
}

void FieldHasher::Put(const NodeObject& node) {
  Add(node.name, node.uid, node.labels, node.taints, node.unschedulable, node.ready);
  Add(node.allocatable);
}

void FieldHasher::Put(const Exclusion& exclusion) {
  Add(exclusion.cause, exclusion.detail, exclusion.nodes);
}

void FieldHasher::Put(const Reason& reason) {
  Add(reason.code, reason.have, reason.need, reason.level, reason.domain, reason.subject);
  Add(reason.detail, reason.member, reason.exclusions, reason.never, reason.proven);
}

void FieldHasher::Put(const MemberFact& fact) {
  Add(fact.pod_uid, fact.plan, fact.node, fact.state, fact.code, fact.message);
}

void FieldHasher::Put(const Resources& resources) {
  Put(resources.ToMap(state_.cluster.resources()));
}

void FieldHasher::Put(const OrderKey& key) { Add(key.repair, key.priority, key.since, key.gang); }

void FieldHasher::Put(const QueueTree& queues) {
  Put(queues.queues().size());
  for (const QueueTree::Queue& queue : queues.queues()) Add(queue.name, queue.says, queue.devices);
  for (const auto& [name, devices] : queues.charged()) Add(name, devices);
}

void FieldHasher::Put(const WaitingQueue& queue) {
  Put(queue.size());
  for (const auto& [key, gang] : queue.entries()) Add(key, gang);
}

void FieldHasher::Put(const Pass& pass) { Add(pass.full(), pass.cursor(), pass.single()); }

void FieldHasher::Put(const Refusals& refusals) { Add(refusals.epoch(), refusals.size()); }

void FieldHasher::Put(const Exclusions& exclusions) {
  uint64_t sum = 0;  // they are ordered by ids
  for (const auto& [key, entry] : exclusions.entries()) {
    sum += FieldHasher(state_).Add(key.first, key.second, entry.plugin, entry.until).Done();
  }
  Add(exclusions.size(), sum);
}

void FieldHasher::Put(const TargetMix& mix) {
  uint64_t sum = 0;  // they are ordered by ids
  for (const auto& [kind, weight] : mix.lately()) {
    sum += FieldHasher(state_).Add(kind.shape, kind.gang, weight).Done();
  }
  Add(sum, mix.made_of());
}

void FieldHasher::Put(const Fragmentation& fragmentation) {
  for (const MixShape& shape : fragmentation.mix().shapes) Add(shape.shape, shape.weight);
  for (const GangSize& gang : fragmentation.mix().gangs) Add(gang.devices, gang.weight);
}

void FieldHasher::Put(const ReserveProgress& progress) { Put(progress.entries()); }

void FieldHasher::Put(const Outbox& outbox) { Put(outbox.sequence()); }

void FieldHasher::Put(const Board& board) { Put(board.Digest()); }

void FieldHasher::Put(const TopologyShown& shown) {
  Add(shown.said, shown.saying, shown.in_flight, shown.due, shown.failures, shown.nodes_seen);
  Add(shown.accepted.holds, shown.accepted.since, shown.in_force.holds, shown.in_force.since);
}

void FieldHasher::Put(const WayOut& way) { Add(way.way, way.why); }

void FieldHasher::Put(const MemberKey& key) {
  Add(key.group, key.index, key.name_length, key.name, key.uid);
}

void FieldHasher::Put(const Terms& terms) {
  Add(terms.size, terms.min, terms.priority, terms.required_level, terms.preferred_level);
  Add(terms.object, terms.sized_by_object, terms.exclusive_level);
  Add(terms.group.name, terms.group.required_level, terms.group.preferred_level, terms.group.size);
  Add(terms.queue);
}

void FieldHasher::Put(const Charge& charge) { Add(charge.queue, charge.devices); }

void FieldHasher::Put(const Plan& plan) {
  VisitFields(plan, [this](FieldKind, const char*, const auto& value) { Put(value); });
}

void FieldHasher::Put(const Published& published) {
  Add(published.kind, published.node, published.plan, published.reason);
}

}  // namespace phalanx

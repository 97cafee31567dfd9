#include "core/engine/digest.h"

#include <string_view>

#include "core/base/hash.h"

namespace phalanx {
namespace {

void Add(Hash& hash, const OrderKey& key) {
  hash.Add(key.repair).Add(key.priority).Add(key.since).Add(key.gang);
}

// Ids mean nothing outside a run: nodes go in by name.
std::string_view NodeName(const State& state, NodeId id) {
  if (!id.valid()) return "";
  return state.cluster.node(id).object.name;
}

uint64_t DigestOf(const State& state, const Pod& pod) {
  Hash hash;
  hash.Add(pod.uid).Add(pod.ns).Add(pod.name).Add(pod.ours).Add(pod.phase).Add(pod.deleting);
  hash.Add(NodeName(state, pod.node));
  for (const auto& [name, quantity] : pod.request.ToMap(state.cluster.resources())) {
    hash.Add(name).Add(quantity);
  }
  const Published& said = pod.published;
  hash.Add(said.kind).Add(NodeName(state, said.node)).Add(said.plan).Add(said.reason);
  return hash.Done();
}

uint64_t DigestOf(const State& state, const Member& member) {
  Hash hash;
  hash.Add(member.object.uid).Add(member.stage).Add(member.standing).Add(member.plan);
  hash.Add(NodeName(state, member.node)).Add(member.rank).Add(member.evicting);
  hash.Add(member.told).Add(member.seen);
  hash.Add(member.started_under);
  return hash.Done();
}

uint64_t DigestOf(const State& state, const Gang& gang) {
  Hash hash;
  hash.Add(gang.key).Add(gang.domain).Add(gang.ran).Add(gang.started).Add(gang.attempts);
  hash.Add(gang.serious_in_row).Add(gang.conflicts_in_row).Add(gang.failure).Add(gang.rolling_back);
  hash.Add(gang.dry_run);
  for (const auto& [uid, way] : gang.jobs) hash.Add(uid).Add(way ? way->why : "");
  hash.Add(gang.partial_since).Add(gang.broken_since).Add(gang.not_before).Add(gang.repair_by);
  hash.Add(gang.resend_at).Add(gang.evict_at).Add(gang.forget_at).Add(gang.wake);
  hash.Add(gang.verdict).Add(gang.changed).Add(gang.phase).Add(gang.reason);
  hash.Add(gang.terms.size).Add(gang.terms.min).Add(gang.terms.priority);
  hash.Add(gang.terms.required_level).Add(gang.terms.preferred_level);
  if (gang.terms.object) hash.Add(*gang.terms.object).Add(gang.object_reason);
  if (gang.plan) {
    hash.Add(gang.plan->id).Add(gang.plan->stage).Add(gang.plan->joining);
    hash.Add(gang.plan->size).Add(gang.plan->bound).Add(gang.plan->deadline);
    hash.Add(gang.plan->admitted).Add(gang.plan->lost).Add(gang.plan->gang_size);
  }
  if (gang.queued) Add(hash, *gang.queued);
  hash.Add(gang.waited).Add(gang.complete_since).Add(gang.untold);
  uint64_t sum = hash.Done();
  for (const auto& [key, member] : gang.roster.members()) sum += DigestOf(state, member);
  return sum;
}

uint64_t DigestOfNodes(const State& state) {
  uint64_t sum = 0;
  for (NodeId id : state.cluster.present_nodes()) {
    const NodeObject& node = state.cluster.node(id).object;
    Hash hash;
    hash.Add(node.name).Add(node.uid).Add(node.ready).Add(node.unschedulable);
    for (const auto& [key, value] : node.labels) hash.Add(key).Add(value);
    for (const Taint& taint : node.taints) hash.Add(taint.key).Add(taint.value).Add(taint.effect);
    for (const auto& [name, quantity] : node.allocatable) hash.Add(name).Add(quantity);
    sum += hash.Done();
  }
  return sum;
}

uint64_t DigestOfObjects(const State& state) {
  Hash hash;
  for (const auto& [key, entry] : state.objects.entries()) {
    hash.Add(key).Add(entry.object.uid);
    if (const auto* terms = std::get_if<GangTerms>(&entry.object.body)) {
      hash.Add(terms->min).Add(terms->reserve_deadline.value_or(Duration{}).ms);
    }
    for (const Problem& problem : entry.object.problems) hash.Add(problem.field).Add(problem.value);
  }
  return hash.Done();
}

uint64_t DigestOfPlanning(const State& state) {
  Hash hash;
  hash.Add(state.epoch).Add(state.synced).Add(state.leading).Add(state.plans_made);
  hash.Add(state.outbox.sequence()).Add(state.refusals.epoch()).Add(state.refusals.size());
  hash.Add(state.pass.full());
  if (state.pass.cursor()) Add(hash, *state.pass.cursor());
  for (const OrderKey& key : state.pass.single()) Add(hash, key);
  hash.Add(state.reserving).Add(state.refresh_at);
  for (const auto& [plan, time] : state.progress.entries()) hash.Add(plan).Add(time);
  for (const auto& [sequence, uid] : state.evictions) hash.Add(sequence).Add(uid);
  for (const auto& [uid, print] : state.refused_told) hash.Add(uid).Add(print);
  for (const auto& [sequence, read] : state.job_reads) hash.Add(sequence).Add(read.second);
  for (const auto& [uid, fact] : state.pipeline_facts) hash.Add(uid).Add(fact.plan).Add(fact.state);
  uint64_t sum = hash.Done();
  for (const auto& [key, entry] : state.exclusions.entries()) {
    sum += Hash().Add(NodeName(state, key.second)).Add(entry.plugin).Add(entry.until).Done();
  }
  return sum;
}

}  // namespace

uint64_t DigestOf(const State& state) {
  Hash hash;
  uint64_t pods = 0;
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (!pod.uid.empty()) pods += DigestOf(state, pod);
  }
  uint64_t gangs = 0;
  for (const auto& [key, id] : state.gangs.by_key()) gangs += DigestOf(state, state.gangs.Get(id));
  hash.Add(state.now).Add(pods).Add(gangs).Add(DigestOfNodes(state)).Add(DigestOfPlanning(state));
  hash.Add(state.board.Digest());
  hash.Add(DigestOfObjects(state));
  return hash.Done();
}

}  // namespace phalanx

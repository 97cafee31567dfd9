// Every field of the engine's state with what it is. Hashes walk these lists, and so do the tests
// of the table of Intent in docs/ARCHITECTURE.md: a field that is missing here, or an intent
// without a row there, fails test/style/intent_test.py.
#ifndef PHALANX_CORE_ENGINE_FIELDS_H_
#define PHALANX_CORE_ENGINE_FIELDS_H_

#include "core/engine/gang.h"
#include "core/engine/pods.h"
#include "core/engine/roster.h"
#include "core/engine/state.h"
#include "phalanx/view.h"

namespace phalanx {

// `visit(kind, name, value)` for each field, in the order of their declaration.
template <class Visit>
void VisitFields(const State& state, Visit&& visit) {
  using enum FieldKind;
  visit(kInput, "State.config", state.config);
  visit(kDerived, "State.accelerators", state.accelerators);
  visit(kInput, "State.now", state.now);
  visit(kInput, "State.epoch", state.epoch);
  visit(kInput, "State.synced", state.synced);
  visit(kInput, "State.leading", state.leading);
  visit(kIntent, "State.plans_made", state.plans_made);
  visit(kInput, "State.cluster", state.cluster);
  visit(kInput, "State.pods", state.pods);
  visit(kInput, "State.gangs", state.gangs);
  visit(kInput, "State.objects", state.objects);
  visit(kDerived, "State.queues", state.queues);
  visit(kDerived, "State.queue", state.queue);
  visit(kIntent, "State.pass", state.pass);
  visit(kIntent, "State.refusals", state.refusals);
  visit(kIntent, "State.exclusions", state.exclusions);
  visit(kIntent, "State.mix", state.mix);
  visit(kIntent, "State.fragmentation", state.fragmentation);
  visit(kDerived, "State.timers", state.timers);
  visit(kIntent, "State.refresh_at", state.refresh_at);
  visit(kIntent, "State.board", state.board);
  visit(kIntent, "State.topologies", state.topologies);
  visit(kIntent, "State.refused_told", state.refused_told);
  visit(kScratch, "State.counters", state.counters);
  visit(kIntent, "State.outbox", state.outbox);
  visit(kDerived, "State.starting", state.starting);
  visit(kDerived, "State.exclusive", state.exclusive);
  visit(kDerived, "State.reserving", state.reserving);
  visit(kIntent, "State.progress", state.progress);
  visit(kIntent, "State.evictions", state.evictions);
  visit(kIntent, "State.job_reads", state.job_reads);
  visit(kInput, "State.unseen_nodes", state.unseen_nodes);
  visit(kInput, "State.pipeline_facts", state.pipeline_facts);
  visit(kScratch, "State.touched", state.touched);
  visit(kScratch, "State.unpublished", state.unpublished);
  visit(kScratch, "State.admitted", state.admitted);
}

template <class Visit>
void VisitFields(const Plan& plan, Visit&& visit) {
  using enum FieldKind;
  visit(kIntent, "Plan.id", plan.id);
  visit(kIntent, "Plan.stage", plan.stage);
  visit(kIntent, "Plan.joining", plan.joining);
  visit(kIntent, "Plan.gang_size", plan.gang_size);
  visit(kIntent, "Plan.admitted", plan.admitted);
  visit(kIntent, "Plan.size", plan.size);
  visit(kIntent, "Plan.bound", plan.bound);
  visit(kIntent, "Plan.lost", plan.lost);
  visit(kIntent, "Plan.deadline", plan.deadline);
}

template <class Visit>
void VisitFields(const Gang& gang, Visit&& visit) {
  using enum FieldKind;
  visit(kInput, "Gang.key", gang.key);
  visit(kDerived, "Gang.roster", gang.roster);
  visit(kDerived, "Gang.terms", gang.terms);
  visit(kDerived, "Gang.object_reason", gang.object_reason);
  visit(kDerived, "Gang.queue", gang.queue);
  visit(kDerived, "Gang.queue_reason", gang.queue_reason);
  visit(kDerived, "Gang.charge", gang.charge);
  visit(kIntent, "Gang.plan", gang.plan);
  visit(kIntent, "Gang.domain", gang.domain);
  visit(kIntent, "Gang.ran", gang.ran);
  visit(kIntent, "Gang.started", gang.started);
  visit(kIntent, "Gang.waited", gang.waited);
  visit(kIntent, "Gang.complete_since", gang.complete_since);
  visit(kIntent, "Gang.attempts", gang.attempts);
  visit(kIntent, "Gang.serious_in_row", gang.serious_in_row);
  visit(kIntent, "Gang.conflicts_in_row", gang.conflicts_in_row);
  visit(kIntent, "Gang.failure", gang.failure);
  visit(kIntent, "Gang.rolling_back", gang.rolling_back);
  visit(kIntent, "Gang.dry_run", gang.dry_run);
  visit(kIntent, "Gang.partial_since", gang.partial_since);
  visit(kIntent, "Gang.broken_since", gang.broken_since);
  visit(kIntent, "Gang.jobs", gang.jobs);
  visit(kIntent, "Gang.not_before", gang.not_before);
  visit(kIntent, "Gang.repair_by", gang.repair_by);
  visit(kIntent, "Gang.resend_at", gang.resend_at);
  visit(kIntent, "Gang.evict_at", gang.evict_at);
  visit(kIntent, "Gang.forget_at", gang.forget_at);
  visit(kDerived, "Gang.wake", gang.wake);
  visit(kIntent, "Gang.verdict", gang.verdict);
  visit(kScratch, "Gang.changed", gang.changed);
  visit(kDerived, "Gang.phase", gang.phase);
  visit(kDerived, "Gang.reason", gang.reason);
  visit(kDerived, "Gang.queued", gang.queued);
  visit(kScratch, "Gang.untold", gang.untold);
  visit(kDerived, "Gang.held_reason", gang.held_reason);
  visit(kScratch, "Gang.republish", gang.republish);
}

template <class Visit>
void VisitFields(const Member& member, Visit&& visit) {
  using enum FieldKind;
  visit(kInput, "Member.key", member.key);
  visit(kInput, "Member.pod", member.pod);
  visit(kInput, "Member.object", member.object);
  visit(kDerived, "Member.shape", member.shape);
  visit(kIntent, "Member.stage", member.stage);
  visit(kIntent, "Member.plan", member.plan);
  visit(kIntent, "Member.node", member.node);
  visit(kIntent, "Member.rank", member.rank);
  visit(kIntent, "Member.started_under", member.started_under);
  visit(kIntent, "Member.evicting", member.evicting);
  visit(kDerived, "Member.node_gone", member.node_gone);
  visit(kIntent, "Member.told", member.told);
  visit(kInput, "Member.seen", member.seen);
  visit(kDerived, "Member.standing", member.standing);
}

template <class Visit>
void VisitFields(const Pod& pod, Visit&& visit) {
  using enum FieldKind;
  visit(kInput, "Pod.uid", pod.uid);
  visit(kInput, "Pod.ns", pod.ns);
  visit(kInput, "Pod.name", pod.name);
  visit(kInput, "Pod.ours", pod.ours);
  visit(kInput, "Pod.phase", pod.phase);
  visit(kInput, "Pod.deleting", pod.deleting);
  visit(kInput, "Pod.node", pod.node);
  visit(kInput, "Pod.request", pod.request);
  visit(kDerived, "Pod.gang", pod.gang);
  visit(kDerived, "Pod.member", pod.member);
  visit(kInput, "Pod.seen_epoch", pod.seen_epoch);
  visit(kDerived, "Pod.published", pod.published);
}

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_FIELDS_H_

#include "core/engine/derived.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/engine/field_hasher.h"
#include "core/engine/lifecycle.h"
#include "core/engine/neighbours.h"
#include "core/engine/queues.h"
#include "core/engine/reasons.h"
#include "core/engine/settle.h"
#include "core/engine/terms.h"

namespace phalanx {
namespace {

// What a roster says about its members, in values that both sides can make.
struct Figures {
  std::vector<int32_t> counts = std::vector<int32_t>(kStandings);
  int32_t live = 0;
  std::vector<std::pair<Terms, int32_t>> terms;
  std::vector<std::string> gated;          // UIDs in rank order
  std::vector<std::string> with_problems;  // UIDs in rank order
  std::string together;  // the level that all live members ask for by their affinity
  std::optional<Time> oldest;
  std::string shared_late;  // the first one
};

std::vector<std::string> Uids(const MemberSet& members) {
  std::vector<std::string> out;
  for (const Member* member : members) out.push_back(member->object.uid);
  return out;
}

Figures FiguresOf(const Roster& roster) {
  Figures out;
  for (size_t i = 0; i < kStandings; ++i) out.counts[i] = roster.Count(static_cast<Standing>(i));
  out.live = roster.Live();
  for (const auto& [terms, members] : roster.terms()) {
    out.terms.emplace_back(terms, static_cast<int32_t>(members.size()));
  }
  out.gated = Uids(roster.gated());
  out.with_problems = Uids(roster.with_problems());
  out.oldest = roster.Oldest();
  if (const Together* all = roster.AllTogether()) out.together = all->level;
  if (const std::string* shared = roster.SharedLateObject()) out.shared_late = *shared;
  return out;
}

// The rule of roster.h ("live"), written once more.
bool SpeaksForItsGang(const Member& member, Standing standing) {
  const bool gone = standing == Standing::kDeleting || standing == Standing::kLost ||
                    standing == Standing::kSucceeded || standing == Standing::kFailed;
  return !gone && !member.object.deleting;
}

Figures RecomputeFigures(const Roster& roster) {
  Figures out;
  std::map<Terms, int32_t> terms;
  std::map<std::string, int32_t> late;
  std::set<Together> together;
  for (const auto& [key, member] : roster.members()) {
    const Standing standing = StandingOf(member);
    const std::string& uid = member.object.uid;
    ++out.counts[static_cast<size_t>(standing)];
    if (standing == Standing::kGated) out.gated.push_back(uid);
    if (!SpeaksForItsGang(member, standing)) continue;
    ++out.live;
    ++terms[TermsOf(member)];
    together.insert(member.object.membership->together);
    out.oldest = std::min(out.oldest.value_or(Time::Never()), member.object.created);
    if (!member.object.node.empty()) continue;
    if (!member.object.membership->problems.empty()) out.with_problems.push_back(uid);
    for (const std::string& name : member.object.unresolved_objects) ++late[name];
  }
  out.terms.assign(terms.begin(), terms.end());
  if (together.size() == 1) out.together = together.begin()->level;
  const auto shared = std::ranges::find_if(late, [](const auto& item) { return item.second > 1; });
  if (shared != late.end()) out.shared_late = shared->first;
  return out;
}

uint64_t HashFor(const State& state, const Figures& figures) {
  FieldHasher hasher(state);
  hasher.Add(figures.counts, figures.live, figures.gated, figures.with_problems, figures.oldest,
             figures.together, figures.shared_late, figures.terms.size());
  for (const auto& [terms, members] : figures.terms) hasher.Add(terms, members);
  return hasher.Done();
}

template <class T>
uint64_t HashFor(const State& state, const T& value) {
  return FieldHasher(state).Add(value).Done();
}

// By what is booked, pod by pod.
Charge RecomputeCharge(const State& state, const Gang& gang) {
  Charge charge{QueueOf(state, gang.terms), 0};
  for (const auto& [key, member] : gang.roster.members()) {
    const std::optional<Booking> booking = BookingOf(state, state.pods.Get(member.pod));
    if (!booking) continue;
    charge.devices += state.accelerators.CountIn(booking->amount, state.cluster.resources());
  }
  return charge;
}

// A timer that has passed waits for its Tick.
Time WakeNow(const State& state, const Gang& gang) {
  return gang.wake <= state.now ? gang.wake : WakeOf(state, gang);
}

DerivedPart Standings(const State& state, const Gang& gang) {
  FieldHasher kept(state), recomputed(state);
  for (const auto& [key, member] : gang.roster.members()) {
    const Pod& pod = state.pods.Get(member.pod);
    const bool gone = state.synced ? OnMissingNode(state, pod) : member.node_gone;
    kept.Add(key, member.standing, member.node_gone, member.key);
    recomputed.Add(key, StandingOf(member), gone, KeyOf(member.object));
  }
  return {"standings", kept.Done(), recomputed.Done()};
}

DerivedPart Answers(const State& state, const Gang& gang) {
  FieldHasher kept(state), recomputed(state);
  for (const auto& [key, member] : gang.roster.members()) {
    const Pod& pod = state.pods.Get(member.pod);
    kept.Add(key, pod.published);
    recomputed.Add(key, AnswerOf(state, pod));
  }
  return {"answers", kept.Done(), recomputed.Done()};
}

void Sum(const std::optional<Booking>& booking, std::map<NodeId, Usage>* out) {
  if (!booking) return;
  Usage& usage = (*out)[booking->node];
  (booking->kind == BookingKind::kBound ? usage.bound : usage.held).Add(booking->amount);
}

// Quantities that are 0 count as absent.
QuantityMap WithoutZeros(QuantityMap quantities) {
  std::erase_if(quantities, [](const auto& item) { return item.second == 0; });
  return quantities;
}

}  // namespace

std::optional<Booking> BookingOf(const State& state, const Pod& pod) {
  if (pod.node.valid()) {
    if (pod.ended()) return std::nullopt;
    return Booking{pod.node, BookingKind::kBound, pod.request, state.TalkOf(pod)};
  }
  const Member* member = pod.member;
  if (member == nullptr || member->stage == Stage::kIdle || !member->node.valid()) {
    return std::nullopt;
  }
  return Booking{member->node, BookingKind::kHeld, pod.request, state.TalkOf(pod)};
}

std::map<NodeId, Usage> RecomputeUsage(const State& state) {
  std::map<NodeId, Usage> out;
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (!pod.uid.empty()) Sum(BookingOf(state, pod), &out);
  }
  return out;
}

std::vector<DerivedPart> DerivedOf(const State& state, NodeId node, const Usage& usage) {
  const Ledger& ledger = state.cluster.ledger();
  const NodeRecord& record = state.cluster.node(node);
  const QuantityMap allocatable = record.allocatable.ToMap(state.cluster.resources());
  return {
      {"bound", HashFor(state, ledger.bound(node)), HashFor(state, usage.bound)},
      {"held", HashFor(state, ledger.held(node)), HashFor(state, usage.held)},
      {"allocatable", HashFor(state, allocatable),
       HashFor(state, WithoutZeros(record.present ? record.object.allocatable : QuantityMap()))},
  };
}

std::vector<DerivedPart> DerivedOf(const State& state, GangId id) {
  const Gang& gang = state.gangs.Get(id);
  std::optional<OrderKey> place;
  if (IsPlannable(state, gang)) place = OrderKeyOf(gang);
  const auto queued = state.queue.entries().find(gang.queued.value_or(OrderKey()));
  const bool in_queue = queued != state.queue.entries().end() && queued->second == id;
  const bool timed = gang.wake == Time::Never() || state.timers.Has(id, gang.wake);
  return {
      {"phase", HashFor(state, gang.phase), HashFor(state, PhaseOf(gang))},
      {"queue", FieldHasher(state).Add(gang.queued, in_queue).Done(),
       FieldHasher(state).Add(place, place.has_value()).Done()},
      {"timer", FieldHasher(state).Add(gang.wake, timed).Done(),
       FieldHasher(state).Add(WakeNow(state, gang), true).Done()},
      {"terms", FieldHasher(state).Add(gang.terms, gang.object_reason).Done(),
       FieldHasher(state).Add(TermsNow(state, gang), ObjectReason(state, gang.terms)).Done()},
      {"charge", FieldHasher(state).Add(gang.charge, gang.queue_reason).Done(),
       FieldHasher(state).Add(RecomputeCharge(state, gang), QueueReason(state, gang.queue)).Done()},
      {"starting", HashFor(state, state.starting.contains(id)),
       HashFor(state, gang.plan.has_value())},
      {"exclusive", HashFor(state, state.exclusive.contains(id)),
       HashFor(state, IsExclusive(gang))},
      {"roster", HashFor(state, FiguresOf(gang.roster)),
       HashFor(state, RecomputeFigures(gang.roster))},
      Standings(state, gang),
      Answers(state, gang),
  };
}

}  // namespace phalanx

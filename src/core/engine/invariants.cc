#include "core/engine/invariants.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/engine/derived.h"
#include "core/engine/entities.h"
#include "core/engine/reasons.h"

namespace phalanx {
namespace {

using Findings = std::vector<std::string>;

std::string Name(const Gang& gang) {
  return fmt::format("gang {}/{}/{}", gang.key.ns, gang.key.source, gang.key.name);
}

// ---- the ledger is a function of pods and members

void CheckLedger(const State& state, Findings* out) {
  const Ledger& ledger = state.cluster.ledger();
  if (!ledger.CheckSums()) out->push_back("ledger: sums differ from entries");
  if (!state.cluster.CheckShapeIndex()) {
    out->push_back("cluster: slots kept for a shape differ from a recomputation");
  }
  if (!state.cluster.CheckLinkLoads()) {
    out->push_back("cluster: loads kept of uplinks differ from a recomputation");
  }
  size_t expected = 0;
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (pod.uid.empty()) continue;
    const std::optional<Booking> want = BookingOf(state, pod);
    const std::optional<Booking> have = ledger.Find(PodId(i));
    if (want) ++expected;
    const bool same = want.has_value() == have.has_value() &&
                      (!want || (want->node == have->node && want->kind == have->kind &&
                                 want->amount == have->amount && want->talk == have->talk));
    if (!same)
      out->push_back(fmt::format("ledger: entry of pod {}/{} is not right", pod.ns, pod.name));
  }
  if (ledger.size() != expected) {
    out->push_back(fmt::format("ledger: {} entries, expected {}", ledger.size(), expected));
  }
}

// ---- a gang is planned as a whole, and counts are right

void CheckPlan(const State& state, const Gang& gang, Findings* out) {
  int32_t in_plan = 0;
  for (const auto& [key, member] : gang.roster.members()) {
    if (!member.InPipeline()) continue;
    if (!state.InPlan(gang, member)) {
      out->push_back(Name(gang) + ": member " + member.object.name + " is in no current plan");
    }
    if (!member.node.valid()) {
      out->push_back(Name(gang) + ": planned member " + member.object.name + " has no node");
    }
    ++in_plan;
  }
  if (!gang.plan) return;
  if (in_plan + gang.plan->bound != gang.plan->size) {
    out->push_back(fmt::format("{}: plan of {} has {} in the pipeline and {} bound", Name(gang),
                               gang.plan->size, in_plan, gang.plan->bound));
  }
  if (gang.plan->stage != PlanStage::kBind && gang.plan->bound > 0) {
    out->push_back(Name(gang) + ": bound before both barriers opened");
  }
  if (gang.plan->stage == PlanStage::kBind &&
      gang.roster.Count(Standing::kPlanned) + gang.roster.Count(Standing::kReserved) > 0) {
    out->push_back(Name(gang) + ": the second barrier opened too early");
  }
}

void CheckLinks(const State& state, GangId id, const Gang& gang, Findings* out) {
  std::set<int32_t> ranks;
  for (const auto& [key, member] : gang.roster.members()) {
    const Pod& pod = state.pods.Get(member.pod);
    if (pod.member != &member || pod.gang != id || key != member.key) {
      out->push_back(Name(gang) + ": member " + member.object.name + " is linked wrongly");
    }
    // Ranks of bound members are read from their annotations, which anybody can write.
    if (member.InPipeline() && !ranks.insert(member.rank).second) {
      out->push_back(fmt::format("{}: rank {} is there twice", Name(gang), member.rank));
    }
  }
  if (gang.terms.object && state.objects.UsersOf(*gang.terms.object).count(id) == 0) {
    out->push_back(Name(gang) + ": is not listed with the object that it reads");
  }
}

// ---- who waits says why

void CheckReason(const State& state, const Gang& gang, Findings* out) {
  const bool waits = gang.phase == GangPhase::kGathering || gang.phase == GangPhase::kQueued ||
                     gang.phase == GangPhase::kRollingBack ||
                     (gang.phase == GangPhase::kRepairing && !gang.plan);
  if (waits && gang.reason.code == ReasonCode::kNone) {
    out->push_back(Name(gang) + ": waits without a reason");
  }
  if (gang.plan && !state.synced && state.epoch == 0) {
    out->push_back(Name(gang) + ": planned before any snapshot");
  }
}

// ---- what was just admitted has room; later the world may take it away

void CheckAdmitted(const State& state, Findings* out) {
  for (PodId id : state.admitted) {
    const Pod& pod = state.pods.Get(id);
    const std::optional<Booking> booking = state.cluster.ledger().Find(id);
    if (!booking) {
      out->push_back(fmt::format("pod {}/{} was admitted and holds nothing", pod.ns, pod.name));
      continue;
    }
    const Resources request = pod.request.InWholeDevices();
    for (const auto& [resource, amount] : request.entries()) {
      const int64_t free = state.cluster.Free(booking->node, resource);
      if (free >= 0) continue;
      out->push_back(fmt::format("node {}: {} more of {} than it has after pod {}/{} was admitted",
                                 state.cluster.node(booking->node).object.name, -free,
                                 state.cluster.resources().Name(resource), pod.ns, pod.name));
    }
  }
}

// ---- numbers are given once

void CheckNumbers(const State& state, Findings* out) {
  std::set<uint64_t> plans;
  int64_t reserving = 0;
  for (GangId id : state.starting) {
    const Gang& gang = state.gangs.Get(id);
    if (!gang.plan) continue;  // StaleEntities() tells
    const Plan& plan = *gang.plan;
    if (plan.stage == PlanStage::kReserve) reserving += plan.admitted;
    if (!plans.insert(plan.id).second) {
      out->push_back(fmt::format("{}: plan {} is another gang's as well", Name(gang), plan.id));
    }
    const uint64_t first = state.epoch << kPlanBits;
    if (plan.id > first && plan.id > first + state.plans_made) {
      out->push_back(fmt::format("{}: plan {} was never given out", Name(gang), plan.id));
    }
  }
  if (reserving != state.reserving) {
    out->push_back(
        fmt::format("{} members are reserving, counted are {}", reserving, state.reserving));
  }
  for (const auto& [sequence, uid] : state.evictions) {
    if (sequence > state.outbox.sequence()) {
      out->push_back(
          fmt::format("eviction of {} has number {}, which was never sent", uid, sequence));
    }
  }
}

// ---- each queue is charged what its gangs take

void CheckCharges(const State& state, Findings* out) {
  std::map<std::string, int64_t, std::less<>> charged;
  for (const auto& [key, id] : state.gangs.by_key()) {
    const Charge& charge = state.gangs.Get(id).charge;
    if (charge.devices != 0) charged[charge.queue] += charge.devices;
  }
  if (charged != state.queues.charged()) out->push_back("queues are charged something else");
}

// ---- what is to be written is queued once, and what is under way is waited for

void CheckBoard(const State& state, Findings* out) {
  const Board& board = state.board;
  size_t queued = 0;
  size_t flying = 0;
  for (const auto& [key, shown] : board.shown()) {
    const std::string name = fmt::format("object of gang {}/{}/{}", key.ns, key.source, key.name);
    if (shown.queued) {
      ++queued;
      const auto& lane = board.lanes()[static_cast<size_t>(shown.queued->first)];
      auto it = lane.find(shown.queued->second);
      if (it == lane.end() || it->second != key)
        out->push_back(name + ": is not where it is queued");
    }
    if (shown.in_flight != 0) {
      ++flying;
      auto it = board.flights().find(shown.in_flight);
      if (it == board.flights().end() || it->second != key) {
        out->push_back(name + ": nobody waits for its write");
      }
    }
    if (!state.gangs.Find(key).valid() && shown.last == nullptr) {
      out->push_back(name + ": its gang is gone, and nobody lets it go");
    }
    const bool idle = !shown.queued && shown.in_flight == 0;
    if (idle && state.synced && (!shown.made || shown.said.print == 0 || shown.last != nullptr)) {
      out->push_back(name + ": is never written");
    }
  }
  size_t lanes = 0;
  for (const auto& lane : board.lanes()) lanes += lane.size();
  if (lanes != queued) out->push_back("objects are queued twice");
  if (flying != board.flights().size()) out->push_back("writes are under way for no object");
}

// Those about members are derived state of their gang.
void CheckLooseAnswers(const State& state, Findings* out) {
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (pod.uid.empty() || pod.member != nullptr) continue;
    if (pod.published == AnswerOf(state, pod)) continue;
    out->push_back(fmt::format("answer about pod {}/{} is stale", pod.ns, pod.name));
  }
}

}  // namespace

std::vector<std::string> FindBrokenInvariants(const State& state) {
  Findings out;
  CheckLedger(state, &out);
  size_t queued = 0;
  size_t timed = 0;
  for (const auto& [key, id] : state.gangs.by_key()) {
    const Gang& gang = state.gangs.Get(id);
    CheckPlan(state, gang, &out);
    CheckLinks(state, id, gang, &out);
    CheckReason(state, gang, &out);
    if (gang.queued) ++queued;
    if (gang.wake != Time::Never()) ++timed;
  }
  if (timed != state.timers.size()) out.push_back("timers of unknown gangs are registered");
  CheckAdmitted(state, &out);
  CheckNumbers(state, &out);
  CheckCharges(state, &out);
  if (queued != state.queue.size()) out.push_back("the queue has entries of unknown gangs");
  CheckLooseAnswers(state, &out);
  CheckBoard(state, &out);
  // Derived state of hosts and gangs equals a recomputation.
  for (std::string& stale : StaleEntities(state)) out.push_back(std::move(stale));
  return out;
}

}  // namespace phalanx

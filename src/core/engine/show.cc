#include "core/engine/show.h"

#include <algorithm>
#include <utility>

#include "core/engine/report.h"
#include "core/engine/tell.h"
#include "core/engine/topology_status.h"

namespace phalanx {
namespace {

// Changes that follow each other within it are written once.
constexpr Duration kSettleFirst{500};
// Numbers of an object are not written more often.
constexpr Duration kRefreshEvery = Duration::Seconds(10);
// While the API server does not serve the kind, one write is tried so often.
constexpr Duration kProbeEvery = Duration::Seconds(30);
constexpr Duration kRetryFirst = Duration::Seconds(1);
constexpr Duration kRetryLast = Duration::Minutes(10);
// Bounds one command, not the budget: looking at an object that needs no write costs no token.
constexpr int kLooks = 64;
// And how often the sweep over positions takes as many.
constexpr Duration kSweepEvery{50};

bool IsSingle(const Gang& gang) { return gang.terms.size == 1; }

// Whether no object is made for it: a gang of one that starts in time, and one that has come to its
// end, whose object may have gone with its Job.
bool NeedsNone(const Gang& gang) {
  return gang.roster.Live() == 0 || (IsSingle(gang) && StateOf(gang.phase) != GangState::kWaiting);
}

Urgency UrgencyOf(const Gang& gang, const Shown& shown) {
  if (!shown.made || shown.said.print == 0) return Urgency::kNew;
  return shown.said.headline == HeadlineOf(gang) ? Urgency::kRefresh : Urgency::kChange;
}

void QueueShown(State& state, const Gang& gang, Shown& shown) {
  const Urgency urgency = UrgencyOf(gang, shown);
  Time due = state.now + kSettleFirst;
  if (urgency == Urgency::kRefresh) due = std::max(due, shown.written + kRefreshEvery);
  state.board.Queue(gang.key, shown, urgency, std::max(due, shown.not_before));
}

void Send(State& state, const GangKey& key, Shown& shown, WriteKind kind, DirectiveBody body) {
  state.board.budget.Spend();
  shown.flying = kind;
  state.board.TakeOff(key, shown, state.outbox.Send(std::move(body)));
}

// Sends what of the object is not as it should be; nothing if all of it is.
void WriteObject(State& state, const GangKey& key) {
  Shown& shown = *state.board.Find(key);
  const GangId id = state.gangs.Find(key);
  if (!id.valid() && shown.drop_at <= state.now) {
    Send(state, key, shown, WriteKind::kDrop, DropGang{shown.last->object});
    return;
  }
  // After a restart nobody else may have asked where nodes are.
  if (id.valid() && state.gangs.Get(id).roster.Count(Standing::kBound) > 0) {
    state.cluster.RefreshTopology();
  }
  const GangReport report = id.valid() ? ReportOf(state, state.gangs.Get(id), shown) : *shown.last;
  const uint64_t owners = PrintOf(report.object.owners);
  const uint64_t print = PrintOf(report);
  // Without members there is nobody to go with: an object made then would stay for ever.
  const bool owned = id.valid() && !state.gangs.Get(id).roster.members().empty();
  if (owned && (!shown.made || shown.owners != owners)) {
    shown.making = owners;
    Send(state, key, shown, WriteKind::kMake, MakeGang{report.object});
  } else if (shown.made && shown.said.print != print) {
    shown.saying = {print, {report.state, report.reason.code}, report.position};
    Send(state, key, shown, WriteKind::kShow, ShowGang{report});
  } else if (!id.valid()) {
    state.board.Queue(key, shown, Urgency::kNew, shown.drop_at);
  }
}

void Applied(State& state, Shown& shown) {
  state.board.ResumeObjects();
  shown.failures = 0;
  if (shown.flying == WriteKind::kMake) {
    shown.made = true;
    shown.owners = shown.making;
    shown.said = {};  // it may be a new one, without a status
  }
  if (shown.flying == WriteKind::kShow) {
    shown.said = shown.saying;
    shown.written = state.now;
  }
  if (shown.flying == WriteKind::kDrop) {
    shown.made = false;
    shown.said = {};
  }
}

void Failed(State& state, const DirectiveResult& result, Shown& shown) {
  if (result.kind_missing) {
    state.board.PauseObjects(state.now + kProbeEvery);
    shown.made = false;
    shown.said = {};
    return;
  }
  if (result.code == kNotFound && shown.flying != WriteKind::kMake) {
    shown.made = false;
    shown.said = {};
    return;
  }
  Duration wait = kRetryFirst;
  for (int32_t i = 0; i < shown.failures && wait < kRetryLast; ++i) wait = wait + wait;
  ++shown.failures;
  shown.not_before = state.now + std::min(wait, kRetryLast);
}

// What is left to do for an object of which nothing is under way any more.
void GoOn(State& state, const GangKey& key, Shown& shown, bool applied) {
  const GangId id = state.gangs.Find(key);
  if (!shown.made && shown.failures == 0 && (!id.valid() || NeedsNone(state.gangs.Get(id)))) {
    state.board.Erase(key);
  } else if (!id.valid()) {
    state.board.Queue(key, shown, Urgency::kChange, std::max(state.now, shown.not_before));
  } else if (applied && shown.flying == WriteKind::kMake) {
    state.board.Queue(key, shown, Urgency::kNew, state.now);
  } else if (!applied || shown.flying == WriteKind::kDrop || shown.again) {
    QueueShown(state, state.gangs.Get(id), shown);
  }
}

void SweepPositions(State& state) {
  Board::Sweep& sweep = state.board.sweep;
  if (sweep.due > state.now) return;
  // What is known to be out of date goes first.
  sweep.due = state.now + (state.board.HasRefreshes() ? kRefreshEvery : kSweepEvery);
  if (state.board.HasRefreshes()) return;
  const auto& entries = state.queue.entries();
  auto it = sweep.after ? entries.upper_bound(*sweep.after) : entries.begin();
  int32_t position = it == entries.end() ? 0 : state.queue.Position(it->first);
  for (int i = 0; i < kLooks && it != entries.end(); ++i, ++it, ++position) {
    sweep.after = it->first;
    Shown* shown = state.board.Find(it->first.gang);
    if (shown == nullptr || shown->said.print == 0 || shown->said.position == position) continue;
    shown->again = true;
    if (shown->in_flight == 0) QueueShown(state, state.gangs.Get(it->second), *shown);
  }
  if (it != entries.end()) return;
  const std::optional<OrderKey> next = sweep.next;
  sweep = {};
  if (next) state.board.NotePositions(*next, state.now);
}

}  // namespace

void ShowGangLater(State& state, const Gang& gang) {
  if (!state.synced) return;
  Shown* shown = state.board.Find(gang.key);
  if (shown == nullptr) {
    if (NeedsNone(gang)) return;
    shown = &state.board.Add(gang.key);
    if (IsSingle(gang)) {
      shown->not_before = gang.roster.Oldest().value_or(state.now) + state.config.show_single_after;
    }
  }
  shown->last.reset();
  shown->drop_at = Time::Never();
  NoteTruths(gang, state.now, shown);
  shown->again = true;
  if (shown->in_flight != 0) return;
  if (!shown->made && NeedsNone(gang)) {
    state.board.Erase(gang.key);
    return;
  }
  QueueShown(state, gang, *shown);
}

void ShowFarewell(State& state, const Gang& gang) {
  Shown* shown = state.board.Find(gang.key);
  if (shown == nullptr) return;
  if (!shown->made && shown->in_flight == 0) {
    state.board.Erase(gang.key);
    return;
  }
  const bool ended = gang.phase == GangPhase::kDone;
  // A gang that ended was kept for so long before it was forgotten.
  shown->drop_at = ended ? state.now : state.now + state.config.keep_done;
  shown->last = std::make_unique<const GangReport>(ended ? ReportOf(state, gang, *shown)
                                                         : FarewellOf(state, gang, *shown));
  shown->again = true;
  if (shown->in_flight == 0) {
    state.board.Queue(gang.key, *shown, Urgency::kChange, state.now + kSettleFirst);
  }
}

bool NoteWritten(State& state, const DirectiveResult& result) {
  auto* landed = state.board.Land(result.sequence);
  if (landed == nullptr) return false;
  const GangKey key = landed->first;
  Shown& shown = landed->second;
  if (result.applied) {
    Applied(state, shown);
  } else {
    Failed(state, result, shown);
  }
  GoOn(state, key, shown, result.applied);
  return true;
}

void WriteDue(State& state) {
  if (!state.synced || !state.leading) return;
  Board& board = state.board;
  board.budget.Refill(state.now);
  WriteTopologies(state);
  SweepPositions(state);
  for (int looks = 0; looks < kLooks && board.budget.Has(); ++looks) {
    std::optional<Item> item = board.Take(state.now);
    if (!item) return;
    switch (item->kind) {
      case Item::Kind::kObject:
        WriteObject(state, item->gang);
        break;
      case Item::Kind::kMembers:
        TellOneMember(state, item->gang);
        break;
      case Item::Kind::kEvent:
        board.budget.Spend();
        state.outbox.Send(std::move(item->event));
        break;
    }
  }
}

Time NextWrite(const State& state) {
  if (!state.synced || !state.leading) return Time::Never();
  return std::min(state.board.Next(), NextTopologyWrite(state));
}

}  // namespace phalanx

// One gang: its roster, its plan if it has one, and what must be remembered about it.
#ifndef PHALANX_CORE_ENGINE_GANG_H_
#define PHALANX_CORE_ENGINE_GANG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/engine/owners.h"
#include "core/engine/roster.h"
#include "core/order/waiting_queue.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "phalanx/verdict.h"
#include "phalanx/view.h"

namespace phalanx {

// Which barrier the plan's members wait at, or that both are open.
enum class PlanStage { kReserve, kPrepare, kBind };

// A placement that is carried out. Its unbound members are those in the pipeline; `size` falls when
// a member is lost after both barriers opened, so size == bound + members in the pipeline.
struct Plan {
  uint64_t id = 0;
  PlanStage stage = PlanStage::kReserve;
  bool joining = false;   // members that join a gang which runs, or is being repaired
  int32_t gang_size = 0;  // Admit::gang_size
  int32_t admitted = 0;   // members at Admit
  int32_t size = 0;
  int32_t bound = 0;
  int32_t lost = 0;               // left it after both barriers opened
  Time deadline = Time::Never();  // of the present stage
};

// What the members of a gang take, and the queue that it is charged to.
struct Charge {
  std::string queue;
  int64_t devices = 0;

  friend bool operator==(const Charge&, const Charge&) = default;
};

struct Gang {
  GangKey key;
  Roster roster;
  Terms terms;           // see terms.h; the first in order where live members do not agree
  Reason object_reason;  // why the object that they name keeps it waiting; kNone if it does not
  std::string queue;     // that it waits in and is charged to; see queues.h
  Reason queue_reason;   // why nothing of that is started; kNone if it may be
  Charge charge;
  std::optional<Plan> plan;
  std::string domain;  // path of the common domain of the last start

  // --- what happened to it
  bool ran = false;  // was whole since it last had no bound member
  Time started;
  Duration waited;                     // until then
  Time complete_since{0};              // of this wait
  int32_t attempts = 0;                // failed starts in a row
  int32_t serious_in_row = 0;          // those of them after which it waits for long
  int32_t conflicts_in_row = 0;        // plans that the scheduler refused in a row
  Reason failure;                      // of the last start; kNone if it did not fail
  bool rolling_back = false;           // the last start failed: what is bound leaves
  bool dry_run = false;                // a Binding was refused since the last start that succeeded
  Time partial_since = Time::Never();  // Never: not part-bound
  Time broken_since = Time::Never();   // since when a bound gang lacks members

  // While it is rolled back: how members of a Job leave, by the UID of the Job. Absent: it is
  // asked.
  std::map<std::string, std::optional<WayOut>> jobs;

  // --- when something is due
  Time not_before{0};              // back-off ends
  Time repair_by = Time::Never();  // else it is rolled back
  Time resend_at = Time::Never();  // Reject once more, while members are returning
  Time evict_at{0};                // next eviction, while rolling back
  Time forget_at = Time::Never();  // finished gangs
  Time wake = Time::Never();       // the least of all, as registered with the timers

  Reason verdict;       // last refusal of the placement search; kNone if there is none
  bool changed = true;  // its request may be another one than at the last look

  // --- derived by Settle
  GangPhase phase = GangPhase::kGathering;
  Reason reason;
  std::optional<OrderKey> queued;  // its key while it is in the waiting queue

  // --- what was told
  bool untold = true;       // members may have come that nobody told that they wait
  std::string held_reason;  // what held members are answered
  bool republish = false;   // every member's answer is due
};

// Gangs by key and id.
class GangTable {
 public:
  GangId Find(const GangKey& key) const;
  GangId FindOrAdd(const GangKey& key);
  void Remove(GangId id);

  Gang& Get(GangId id) { return *gangs_[id.index()]; }
  const Gang& Get(GangId id) const { return *gangs_[id.index()]; }
  const std::map<GangKey, GangId>& by_key() const { return ids_; }

 private:
  std::map<GangKey, GangId> ids_;
  std::vector<std::unique_ptr<Gang>> gangs_;
  std::vector<GangId> free_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_GANG_H_

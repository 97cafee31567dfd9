// What a Gang object says: values, made in the engine; wire/ turns them into JSON.
//
// Times are Time::Never() and texts empty where there is nothing to say.
#ifndef PHALANX_GANG_REPORT_H_
#define PHALANX_GANG_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/objects.h"
#include "phalanx/time.h"
#include "phalanx/verdict.h"

namespace phalanx {

// What users see of GangPhase.
enum class GangState { kWaiting, kStarting, kRunning, kRecovering, kSuspended, kFinished };

struct GangCondition {
  bool holds = false;
  Time since = Time::Never();  // of the last change of `holds` that was seen
  std::string reason;          // CamelCase
  std::string message;

  friend bool operator==(const GangCondition&, const GangCondition&) = default;
};

// The object as such: its name, and what it goes with when the last of them is gone. That is the
// controller that all members have in common; without one it is the first few members themselves.
struct GangObject {
  GangKey gang;
  std::string name;
  std::vector<OwnerRef> owners;
};

struct GangReport {
  GangObject object;
  GangState state = GangState::kWaiting;

  int32_t size = 0;
  int32_t min = 0;
  int32_t present = 0;  // live members without a gate, and succeeded ones
  int32_t bound = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  int64_t accelerators = 0;  // of all members seen
  int32_t priority = 0;
  std::string queue;

  int32_t position = 0;  // 1: first of those that wait; 0: it does not wait for a place
  Time waiting_since = Time::Never();
  Time retry_at = Time::Never();  // not tried before
  // Never where it is not known: of a gang that had started before this process did.
  Time started = Time::Never();
  Duration waited;  // of a gang that started: until then
  std::string domain;
  // By which rule its bound members are spread: "packed", "balanced (evenly over rack: 6 + 6)".
  std::string placement;
  int32_t attempts = 0;

  Reason reason;
  std::string explanation;  // the reason in words

  GangCondition complete;  // all members are there, ungated, and agree
  GangCondition ready;     // at least the minimum is bound
  GangCondition finished;  // every member has ended
};

}  // namespace phalanx

#endif  // PHALANX_GANG_REPORT_H_

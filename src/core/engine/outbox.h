// Collects what one command brings about: directives with their numbers, and changed answers.
#ifndef PHALANX_CORE_ENGINE_OUTBOX_H_
#define PHALANX_CORE_ENGINE_OUTBOX_H_

#include <cstdint>
#include <utility>

#include "core/measure/counters.h"
#include "phalanx/outcome.h"

namespace phalanx {

class Outbox {
 public:
  explicit Outbox(Counters* counters) : counters_(counters) {}

  // Numbers begin anew with each epoch.
  void StartEpoch() { sequence_ = 0; }
  // Returns the number of the directive.
  uint64_t Send(DirectiveBody body);
  void Answer(PodAnswer answer) { outcome_.answers.push_back(std::move(answer)); }
  void Spend(int64_t work_units) { outcome_.work_units += work_units; }

  uint64_t sequence() const { return sequence_; }
  Outcome Take() { return std::exchange(outcome_, {}); }

 private:
  Counters* counters_;
  uint64_t sequence_ = 0;
  Outcome outcome_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_OUTBOX_H_

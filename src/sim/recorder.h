// Everything the brain decided in a run: counted, hashed, and printed as JSON lines if asked.
#ifndef PHALANX_SIM_RECORDER_H_
#define PHALANX_SIM_RECORDER_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "phalanx/outcome.h"
#include "phalanx/view.h"

namespace phalanx::sim {

class Recorder {
 public:
  // `lines` (may be null) takes one JSON object a line; `answers`: those too.
  Recorder(std::ostream* lines, bool answers) : lines_(lines), with_answers_(answers) {}

  void Record(Duration elapsed, const Outcome& outcome);
  void RecordPhase(Duration elapsed, const GangView& gang);
  void RecordNote(Duration elapsed, const std::string& kind, const std::string& text);

  struct OfGang {
    int64_t admits = 0;
    int64_t rejects = 0;
    int64_t evicts = 0;
  };
  OfGang CountsOf(const GangKey& gang) const;
  const OfGang& totals() const { return totals_; }
  // "Reason: message" of the events on a pod, in order.
  std::vector<std::string> EventsOf(const std::string& pod_uid) const;
  PodAnswer AnswerOf(const std::string& pod_uid) const;
  void ForgetAnswers() { answers_.clear(); }

  // Of all decisions with their times; equal for equal runs.
  uint64_t hash() const { return hash_; }

 private:
  void Count(const DirectiveBody& body);
  void Line(const std::string& json);

  std::ostream* lines_;
  bool with_answers_;
  uint64_t hash_ = 14695981039346656037u;
  OfGang totals_;
  std::map<GangKey, OfGang> gangs_;
  std::map<std::string, std::vector<std::string>> events_;
  std::map<std::string, PodAnswer> answers_;
  std::map<GangKey, std::pair<GangPhase, ReasonCode>> phases_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_RECORDER_H_

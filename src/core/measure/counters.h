// Counters that simulation and production share. Only sums and maxima: what they are made of is in
// the engine's state, so they take no part in decisions.
#ifndef PHALANX_CORE_MEASURE_COUNTERS_H_
#define PHALANX_CORE_MEASURE_COUNTERS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "phalanx/time.h"
#include "phalanx/view.h"

namespace phalanx {

class Counters {
 public:
  // `result` is "fits" or the name of the refusal's code.
  void CountPlan(std::string_view result, int64_t work_units);
  void CountDirective(std::string_view kind) { Raise(directives_, kind); }
  void CountConflict(std::string_view plugin) { Raise(conflicts_, plugin); }
  // Input that names something unknown or out of date.
  void CountRefused(std::string_view what) { Raise(refused_input_, what); }
  // A gang was part-bound for so long and no longer is.
  void CountPartialSpell(Duration length);
  // A gang started after waiting for so long.
  void CountStart(Duration waited) { waited_ms_.push_back(waited.ms); }

  // Everything counted; empties the list of waits.
  void MoveTo(StatsView* view);

 private:
  using Table = std::map<std::string, int64_t>;
  static void Raise(Table& table, std::string_view key) { ++table[std::string(key)]; }

  Table placements_;
  Table directives_;
  Table conflicts_;
  Table refused_input_;
  int64_t work_units_ = 0;
  int64_t plans_ = 0;
  int64_t partial_spells_ = 0;
  int64_t partial_ms_total_ = 0;
  int64_t partial_ms_max_ = 0;
  std::vector<int64_t> waited_ms_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_MEASURE_COUNTERS_H_

#include "core/measure/counters.h"

#include <algorithm>
#include <utility>

namespace phalanx {

void Counters::CountPlan(std::string_view result, int64_t work_units) {
  Raise(placements_, result);
  work_units_ += work_units;
  ++plans_;
}

void Counters::CountPartialSpell(Duration length) {
  ++partial_spells_;
  partial_ms_total_ += length.ms;
  partial_ms_max_ = std::max(partial_ms_max_, length.ms);
}

void Counters::MoveTo(StatsView* view) {
  view->placements = placements_;
  view->directives = directives_;
  view->conflicts = conflicts_;
  view->refused_input = refused_input_;
  view->planning_work_units = work_units_;
  view->plans = plans_;
  view->partial_spells = partial_spells_;
  view->partial_spell_ms_total = partial_ms_total_;
  view->partial_spell_ms_max = partial_ms_max_;
  view->waited_ms = std::exchange(waited_ms_, {});
}

}  // namespace phalanx

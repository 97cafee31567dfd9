// partial-spell: no gang that could be completed or evicted stays part-bound beyond the bound.
//
// A gang that was whole and has lost members is not part-bound: its survivors are kept.
#ifndef PHALANX_SIM_CHECK_SPELLS_H_
#define PHALANX_SIM_CHECK_SPELLS_H_

#include <map>
#include <set>
#include <string>

#include "sim/check/check.h"

namespace phalanx::sim {

class SpellsCheck : public Check {
 public:
  SpellsCheck(World& world, const Booked& booked) : Check("partial-spell", world, booked) {}

  void PodChanged(const std::string& uid, const ApiPod* pod) override;
  void AfterInstant() override;

  // Whether some members of the gang run and others, needed for its minimum, do not, while nothing
  // is under way that changes it.
  bool PartialAtRest(const std::string& group) const;
  // Whether all bound members of the gang may be evicted.
  bool CanLeave(const std::string& group) const;

 private:
  struct Spell {
    bool partial = false;
    bool whole = false;  // was whole since it last held nothing
    Duration lasted;     // in this epoch, while adapter and brain were up and led
    bool told = false;
  };
  void Follow(Spell& spell, const std::string& group);

  std::map<std::string, Spell> spells_;
  std::set<std::string> dirty_;  // groups
  std::map<std::string, std::string> group_of_pod_;
  Duration last_instant_;
  int64_t epochs_ = 0;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECK_SPELLS_H_

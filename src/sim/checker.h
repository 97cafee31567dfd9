// What must hold in every run, whatever the scenario expects:
//
//   - Engine::CheckInvariants() is empty after each command (after every nth one in large worlds);
//   - the judge accepts each Admit against what the brain was told and what is held for others;
//   - a start admits at least the gang's minimum;
//   - answers about pods agree with the directives;
//   - no gang that could be completed or evicted stays part-bound beyond the bound;
//   - no Binding of ours puts more on a node than it has;
//   - a waiting gang has a reason in words;
//   - at the end nothing is held for nobody, and a cold rebuild books the same usage.
#ifndef PHALANX_SIM_CHECKER_H_
#define PHALANX_SIM_CHECKER_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "phalanx/command.h"
#include "phalanx/outcome.h"
#include "sim/world.h"

namespace phalanx::sim {

struct Violation {
  Duration at;
  std::string text;
};

class Checker : public ApiObserver {
 public:
  explicit Checker(World& world);

  void NodeChanged(const std::string& name, const NodeObject* node) override;
  void PodChanged(const std::string& uid, const ApiPod* pod) override;

  // After all that is due at an instant.
  void AfterInstant();
  void AtEnd();

  // Whether some members of the gang run and others, needed for its minimum, do not, while nothing
  // is under way that changes it. Not so for a gang that was whole and lost members.
  bool PartialAtRest(const std::string& group) const;
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  struct Spell {
    bool partial = false;
    bool whole = false;  // was whole since it last held nothing
    Duration lasted;     // while adapter and brain were up
    bool told = false;
    std::set<std::string> members;  // UIDs that count as placed
  };
  struct Held {
    uint64_t plan = 0;
    std::string node;
    QuantityMap requests;
  };

  void AfterCommand(const Command& command, const Outcome& outcome);
  void FollowFacts(const Command& command);
  // What the pod, or the object that it names, says; too many if the object is not there.
  int32_t MinOf(const Membership& membership);
  void JudgeAdmit(const Admit& admit);
  void JudgeNeighbours(const GangKey& key, const judge::World& before,
                       const std::vector<judge::Assignment>& gang, std::vector<std::string>& wrong);
  void Follow(Spell& spell, const std::string& group);
  void CheckSpells();
  void LookAtGangs();
  void CheckRebuild();
  void Fail(std::string text);
  bool CanLeave(const std::string& group) const;

  World& world_;
  std::vector<Violation> violations_;
  std::map<std::string, Held> held_;  // by UID: admitted, not known as bound or returned
  std::map<std::string, Spell> spells_;
  std::set<std::string> dirty_;      // groups
  std::set<std::string> disturbed_;  // nodes that changed, or took a foreign pod, in the run
  std::map<std::string, std::string> group_of_pod_;
  Duration last_instant_;
  Duration last_look_{-1};
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECKER_H_

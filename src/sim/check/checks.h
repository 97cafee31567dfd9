// The promises by name, in the order in which they are asked. One file each.
#ifndef PHALANX_SIM_CHECK_CHECKS_H_
#define PHALANX_SIM_CHECK_CHECKS_H_

#include <memory>

#include "sim/check/check.h"
#include "sim/check/spells.h"

namespace phalanx::sim {

// invariants: Engine::CheckInvariants() is empty.
std::unique_ptr<Check> NewInvariantsCheck(World& world, const Booked& booked);
// placement: the judge accepts each Admit against what the brain was told and holds for others.
std::unique_ptr<Check> NewPlacementCheck(World& world, const Booked& booked);
// whole-start: a start admits at least the minimum of its gang.
std::unique_ptr<Check> NewWholeStartCheck(World& world, const Booked& booked);
// one-plan: nobody is admitted who is bound, or who has not left the plan before.
std::unique_ptr<Check> NewOnePlanCheck(World& world, const Booked& booked);
// barriers: a barrier opens when the facts of all members say so, and nobody is bound before.
std::unique_ptr<Check> NewBarriersCheck(World& world, const Booked& booked);
// leadership: nothing is admitted or evicted before the snapshot is complete, or without the lead.
std::unique_ptr<Check> NewLeadershipCheck(World& world, const Booked& booked);
// overcommit: no Binding puts more on a node than it has, of all that the brain could know.
std::unique_ptr<Check> NewOvercommitCheck(World& world, const Booked& booked);
// holds: the brain holds room for exactly those members that are on their way.
std::unique_ptr<Check> NewHoldsCheck(World& world, const Booked& booked);
// ledger: the brain's books of bound pods equal a recomputation from messages, at the end from the
// objects, and those of a brain that is built anew.
std::unique_ptr<Check> NewLedgerCheck(World& world, const Booked& booked);
// roll-call: at the end the brain knows every gang with its members, and none that is gone.
std::unique_ptr<Check> NewRollCallCheck(World& world, const Booked& booked);
// all-or-nothing: at rest no gang has a part of its minimum bound. The end of a run is such a time:
// what was to be made whole or rolled back had its time.
std::unique_ptr<Check> NewAllOrNothingCheck(World& world, const Booked& booked,
                                            const SpellsCheck& spells);
// reasons: who waits has a reason in words.
std::unique_ptr<Check> NewReasonsCheck(World& world, const Booked& booked);
// contract: directives and answers about pods agree.
std::unique_ptr<Check> NewContractCheck(World& world, const Booked& booked);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECK_CHECKS_H_

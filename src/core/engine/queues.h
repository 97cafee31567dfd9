// The queue of a gang: which one it is, why it keeps the gang waiting, and what is charged to it.
//
// A queue counts for the *start*, and for members that join: what runs goes on, is repaired, and is
// charged to its queue, though that is paused, gone, or over a limit that was lowered.
#ifndef PHALANX_CORE_ENGINE_QUEUEING_H_
#define PHALANX_CORE_ENGINE_QUEUEING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/gang.h"
#include "core/engine/state.h"

namespace phalanx {

// Gangs that name none go to this one where it is declared, else to the queue without a name.
inline constexpr char kDefaultQueue[] = "default";

// Tells the tree what is declared now, and looks again at gangs for which that makes a difference.
// O(queues + gangs).
void DeclareQueues(State& state);

std::string QueueOf(const State& state, const Terms& terms);
// Why no gang of the queue is started; kNone if any may be.
Reason QueueReason(const State& state, const std::string& queue);
// Devices that the gang's members take, as planned, bound or leaving.
Charge ChargeOf(const State& state, const Gang& gang);
// Puts it into the books. REQUIRED before another gang of the queue is planned.
void UpdateCharge(State& state, Gang& gang);
// Why these members may not take room now; kNone if every limit has room for their devices.
Reason LimitReason(const State& state, const Gang& gang, const std::vector<Member*>& members);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_QUEUEING_H_

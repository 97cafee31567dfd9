// Fills the nodes of openb through the engine of production, with an adapter that does at once what
// it is told.
#ifndef PHALANX_SIM_TRACE_OPENB_ENGINE_H_
#define PHALANX_SIM_TRACE_OPENB_ENGINE_H_

#include "sim/trace/openb_fill.h"

namespace phalanx::sim {

// Each pod is a gang of one. One comes a second; the engine knows nothing of those to come. What it
// admits is put on nodes of the caller's own, a part of a GPU on the GPU that it fits best:
// FillResult::error tells if it does not fit there.
FillResult FillThroughEngine(const FillInput& input);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_OPENB_ENGINE_H_

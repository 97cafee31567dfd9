// Objects other than nodes and pods. Inside wire/ only.
#ifndef PHALANX_WIRE_DECODE_OBJECTS_H_
#define PHALANX_WIRE_DECODE_OBJECTS_H_

#include <vector>

#include "phalanx/command.h"
#include "phalanx/v1alpha1/cluster.pb.h"
#include "wire/decode.h"

namespace phalanx::wire {

// Appends what `message` says about objects.
void DecodeObjects(const pb::Changes& message, Changes& out, std::vector<Refusal>& refusals);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DECODE_OBJECTS_H_

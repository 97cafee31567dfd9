// Parts that nodes and pods share on the wire. Inside wire/ only.
#ifndef PHALANX_WIRE_DECODE_FIELDS_H_
#define PHALANX_WIRE_DECODE_FIELDS_H_

#include <optional>
#include <string>
#include <vector>

#include "phalanx/objects.h"
#include "phalanx/v1alpha1/objects.pb.h"

namespace phalanx::wire {

namespace pb = ::phalanx::v1alpha1;

using PbMap = google::protobuf::Map<std::string, std::string>;
using PbQuantities = google::protobuf::Map<std::string, google::protobuf::int64>;

LabelMap DecodeMap(const PbMap& map);

// What is done with a quantity above kMaxQuantity: a node does not have it, a pod takes all there
// is.
enum class TooLarge { kDrop, kClamp };

// Negative quantities are dropped; each quantity that is not taken as it is adds a problem of
// `field`[NAME].
QuantityMap DecodeQuantities(const PbQuantities& map, const std::string& field, TooLarge too_large,
                             std::vector<Problem>& problems);

// nullopt for EFFECT_UNSPECIFIED and unknown numbers.
std::optional<TaintEffect> DecodeEffect(pb::Taint::Effect effect);

// Tolerations and terms that can not be read are left out and add a problem.
std::vector<Toleration> DecodeTolerations(const pb::Pod& pod, std::vector<Problem>& problems);
std::vector<NodeSelectorTerm> DecodeTerms(const pb::Pod& pod, std::vector<Problem>& problems);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_DECODE_FIELDS_H_

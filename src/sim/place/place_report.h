// The answer to a placement question in words and as JSON.
#ifndef PHALANX_SIM_PLACE_PLACE_REPORT_H_
#define PHALANX_SIM_PLACE_PLACE_REPORT_H_

#include <ostream>
#include <string>

#include "sim/place/answer.h"
#include "sim/place/question.h"

namespace phalanx::sim {

// One line per rule, the table of terms, the drawing, and the hosts of each rule by rank.
void PrintPlaced(std::ostream& out, const PlaceQuestion& question, const PlaceAnswer& answer);
// One line of JSON.
void PrintPlacedJson(std::ostream& out, const std::string& file, const PlaceQuestion& question,
                     const PlaceAnswer& answer);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_PLACE_REPORT_H_

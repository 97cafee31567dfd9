// The domains and their hosts as a few lines of text, with one column per rule:
//
//                  phalanx   first-fit  nested-best-fit
//     spine x
//       leaf x1    ..        11         11
//       leaf x2    x.        x1         x1
//
//     digit = members on the host (+: more than 9), . = free, - = some room, x = no room
//
// Domains with a single child share its line. Of large clusters the domains with members are
// drawn, those of the first rule first and 40 at most, and all others summed up.
#ifndef PHALANX_SIM_PLACE_DRAWING_H_
#define PHALANX_SIM_PLACE_DRAWING_H_

#include <string>

#include "sim/place/answer.h"
#include "sim/place/question.h"

namespace phalanx::sim {

std::string Draw(const PlaceQuestion& question, const PlaceAnswer& answer);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_DRAWING_H_

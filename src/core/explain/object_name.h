// Names of Gang objects.
#ifndef PHALANX_CORE_EXPLAIN_OBJECT_NAME_H_
#define PHALANX_CORE_EXPLAIN_OBJECT_NAME_H_

#include <string>

#include "phalanx/objects.h"

namespace phalanx {

// A DNS subdomain of at most 253 characters, another one for each gang of a namespace:
//
//   NAME.SOURCE         where NAME is a DNS subdomain ("train.label", "web-0.pod"), so that
//                       `kubectl describe gang train` finds it by its prefix
//   HEX.x.SOURCE        where it is not, or ends in ".x" or ".h" itself: [a-wyz0-9] stand for
//                       themselves, every other byte for "x" and two hex digits
//                       ("My_job" is "x4dyx5fjob.x.label")
//   START.HASH.h.SOURCE where that would be too long: its first characters and 32 digits of a hash
//
// A source is lower-case and has no dot.
std::string ObjectName(const GangKey& gang);

}  // namespace phalanx

#endif  // PHALANX_CORE_EXPLAIN_OBJECT_NAME_H_

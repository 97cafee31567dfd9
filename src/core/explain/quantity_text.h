// Quantities as authors write them.
#ifndef PHALANX_CORE_EXPLAIN_QUANTITY_TEXT_H_
#define PHALANX_CORE_EXPLAIN_QUANTITY_TEXT_H_

#include <cstdint>
#include <string>

namespace phalanx {

// With the largest suffix of Kubernetes that leaves a whole number: "500M", "2Gi", "1500", "7".
std::string QuantityText(int64_t quantity);

}  // namespace phalanx

#endif  // PHALANX_CORE_EXPLAIN_QUANTITY_TEXT_H_

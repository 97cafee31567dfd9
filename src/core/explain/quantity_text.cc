#include "core/explain/quantity_text.h"

#include <fmt/format.h>

namespace phalanx {
namespace {

std::string With(int64_t quantity, int64_t step, const char* suffixes, const char* end) {
  size_t power = 0;
  while (quantity != 0 && quantity % step == 0 && suffixes[power] != '\0') {
    quantity /= step;
    ++power;
  }
  return power == 0 ? fmt::format("{}", quantity)
                    : fmt::format("{}{}{}", quantity, suffixes[power - 1], end);
}

}  // namespace

std::string QuantityText(int64_t quantity) {
  const std::string decimal = With(quantity, 1000, "kMGTP", "");
  const std::string binary = With(quantity, 1024, "KMGTP", "i");
  return binary.size() < decimal.size() ? binary : decimal;
}

}  // namespace phalanx

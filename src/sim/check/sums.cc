#include "sim/check/sums.h"

#include <fmt/format.h>

namespace phalanx::sim {
namespace {

int64_t Amount(const QuantityMap& map, const std::string& name) {
  auto it = map.find(name);
  return it == map.end() ? 0 : it->second;
}

}  // namespace

std::string FirstDifference(const QuantityMap& have, const QuantityMap& expected) {
  QuantityMap names = have;
  names.insert(expected.begin(), expected.end());
  for (const auto& [name, any] : names) {
    const int64_t a = Amount(have, name);
    const int64_t b = Amount(expected, name);
    if (a != b) return fmt::format("{}: {}, expected {}", name, a, b);
  }
  return "";
}

const QuantityMap& Of(const SumsByNode& sums, const std::string& node) {
  static const QuantityMap kNone;
  auto it = sums.find(node);
  return it == sums.end() ? kNone : it->second;
}

}  // namespace phalanx::sim

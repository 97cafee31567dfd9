// Deliberate mistakes of the product, made at the engine's boundary, each with the check that has
// to notice it.
#ifndef PHALANX_TEST_SIM_MUTATIONS_H_
#define PHALANX_TEST_SIM_MUTATIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/tamper.h"

namespace phalanx::sim {

struct Mutation {
  std::string name;   // CamelCase: it is the name of a test
  std::string check;  // that finds it
  std::function<std::unique_ptr<Tamper>()> make;
};

const std::vector<Mutation>& Mutations();

}  // namespace phalanx::sim

#endif  // PHALANX_TEST_SIM_MUTATIONS_H_

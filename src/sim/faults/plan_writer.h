// Writes the lines of a plan, drawing from its seed.
#ifndef PHALANX_SIM_FAULTS_PLAN_WRITER_H_
#define PHALANX_SIM_FAULTS_PLAN_WRITER_H_

#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/faults/plan.h"

namespace phalanx::sim {

// Faults begin and end within this time.
inline constexpr int64_t kTroubleMs = 60'000;

struct PlannedNode {
  std::string name;
  std::string rack;
  int64_t gpus = 0;
};

struct PlannedGang {
  std::string name;
  int64_t members = 0;
  int64_t complete_ms = 0;  // its last member is created
  bool cancelled = false;
};

class PlanWriter {
 public:
  explicit PlanWriter(uint64_t seed) : random_(seed) {}

  template <class... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    plan.text += fmt::format(format, std::forward<Args>(args)...);
    plan.text += '\n';
  }
  // From low to high, both included.
  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(int64_t percent) { return Draw(1, 100) <= percent; }
  template <class T>
  T& OneOf(std::vector<T>& all) {
    return all[static_cast<size_t>(Draw(0, static_cast<int64_t>(all.size()) - 1))];
  }
  std::string SomePod() {
    const PlannedGang& gang = OneOf(gangs);
    return fmt::format("{}-{}", gang.name, Draw(0, gang.members - 1));
  }

  FaultPlan plan;
  std::vector<PlannedNode> nodes;
  std::vector<PlannedGang> gangs;

 private:
  std::mt19937_64 random_;
};

// One thing that goes wrong at some time; counted by its kind.
void AddTrouble(PlanWriter& writer);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_FAULTS_PLAN_WRITER_H_

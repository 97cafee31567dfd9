// The openb workloads (test/data/openb-2023), and the fills of all of them that the benchmark is
// made of.
#ifndef PHALANX_TEST_SUPPORT_OPENB_H_
#define PHALANX_TEST_SUPPORT_OPENB_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "sim/trace/openb.h"
#include "sim/trace/openb_fill.h"

namespace phalanx::testing {

inline const std::string kOpenbFolder = "test/data/openb-2023/";

// A row of expected.csv: what was published, means of ten seeds in %.
struct OpenbExpected {
  std::string workload;
  double random = 0, dot_product = 0, clustering = 0, packing = 0, best_fit = 0, fgd = 0;
};

inline std::vector<OpenbExpected> ReadOpenbExpected() {
  std::vector<OpenbExpected> rows;
  std::ifstream in(kOpenbFolder + "expected.csv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    OpenbExpected row;
    std::istringstream(line) >> row.workload >> row.random >> row.dot_product >> row.clustering >>
        row.packing >> row.best_fit >> row.fgd;
    rows.push_back(row);
  }
  return rows;
}

inline sim::OpenbNodes ReadAllOpenbNodes() {
  return sim::ReadOpenbNodes(kOpenbFolder + "nodes.csv.gz");
}
inline sim::OpenbPods ReadOpenbWorkload(const std::string& workload) {
  return sim::ReadOpenbPods(kOpenbFolder + "pods_" + workload + ".csv.gz");
}

inline constexpr std::array kFillRules = {sim::FillRule::kFgd, sim::FillRule::kFirstFit,
                                          sim::FillRule::kPhalanx};

// Means over the seeds of one workload, % of the GPUs.
struct OpenbMeans {
  double fgd = 0;
  double first_fit = 0;
  double phalanx = 0;
  uint64_t hash = 0;  // of where all pods went
  std::string error;

  double Best() const { return std::max(fgd, first_fit); }
};

// Every `part`th node and pod of the workload; 1: all. The same draws for the three rules.
inline OpenbMeans FillOpenb(const std::vector<sim::OpenbNode>& nodes, const std::string& workload,
                            int seeds, size_t part = 1) {
  OpenbMeans means;
  const auto every = [part](const auto& all) {
    std::decay_t<decltype(all)> some;
    for (size_t i = 0; i < all.size(); i += part) some.push_back(all[i]);
    return some;
  };
  const sim::OpenbPods pods = ReadOpenbWorkload(workload);
  if (!pods.errors.empty()) return {.error = pods.errors.front()};
  Hash hash;
  for (int seed = 0; seed < seeds; ++seed) {
    const sim::FillInput input =
        sim::DrawFill(every(nodes), every(pods.pods), static_cast<uint64_t>(42 + seed));
    for (const sim::FillRule rule : kFillRules) {
      const sim::FillResult result = sim::Fill(input, rule);
      if (!result.error.empty()) means.error = workload + ": " + result.error;
      double& mean = rule == sim::FillRule::kFgd        ? means.fgd
                     : rule == sim::FillRule::kFirstFit ? means.first_fit
                                                        : means.phalanx;
      mean += result.Percent(input) / seeds;
      hash.Add(result.hash);
    }
  }
  means.hash = hash.Done();
  return means;
}

}  // namespace phalanx::testing

#endif  // PHALANX_TEST_SUPPORT_OPENB_H_
